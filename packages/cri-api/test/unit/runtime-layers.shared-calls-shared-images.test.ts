import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../sim/src/clock/virtual-clock.js";
import type { Image, Runtime } from "../../src/port.js";
import { withSharedImages } from "../../src/runtime-layers.js";

function machine() {
  const here = { asked: 0, images: new Set(["web:1"]), fails: false };
  const clock = new VirtualClock();
  const runtime = {
    imageStatus: async (name: string): Promise<Image | undefined> => {
      here.asked += 1;
      if (here.fails) throw new Error("away");
      return here.images.has(name) ? ({ id: `id of ${name}` } as Image) : undefined;
    },
    pullImage: async (name: string) => here.images.add(name),
    removeImage: async (name: string) => here.images.delete(name),
  };
  return { here, clock, runtime: withSharedImages(runtime as unknown as Runtime, clock) };
}

test("the pods of a crowd share the status of an image that is there, for a second", async () => {
  const { here, clock, runtime } = machine();
  const crowd = await Promise.all(Array.from({ length: 20 }, () => runtime.imageStatus("web:1")));
  expect(new Set(crowd.map((image) => image?.id))).toEqual(new Set(["id of web:1"]));
  await clock.advance(999);
  await runtime.imageStatus("web:1");
  expect(here.asked).toBe(1);
  await clock.advance(1);
  await runtime.imageStatus("web:1");
  expect(here.asked).toBe(2);
});

test("each handler of a RuntimeClass has separate images", async () => {
  const { here, runtime } = machine();
  await runtime.imageStatus("web:1", "");
  await runtime.imageStatus("web:1", "gvisor");
  expect(here.asked).toBe(2);
});

test("an image that is not there, and an answer that fails, are asked for again", async () => {
  const { here, runtime } = machine();
  expect(await runtime.imageStatus("new:1")).toBeUndefined();
  here.images.add("new:1");
  expect(await runtime.imageStatus("new:1")).toMatchObject({ id: "id of new:1" });
  here.fails = true;
  await expect(runtime.imageStatus("other:1")).rejects.toThrow("away");
  here.fails = false;
  expect(await runtime.imageStatus("other:1")).toBeUndefined();
});

test("after a pull and a removal the runtime is asked", async () => {
  const { here, runtime } = machine();
  await runtime.imageStatus("web:1");
  await runtime.removeImage("web:1");
  expect(await runtime.imageStatus("web:1")).toBeUndefined();
  await runtime.pullImage("web:1");
  expect(await runtime.imageStatus("web:1")).toMatchObject({ id: "id of web:1" });
  expect(here.asked).toBe(3);
});

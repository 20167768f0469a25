import type { Json } from "@hooklet/core";
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { PendingEvictions } from "../src/pending.js";

function remembered(full = { disk: false }) {
  const clock = new VirtualClock();
  const saved: { value: Json | undefined } = { value: undefined };
  const failures: unknown[] = [];
  const checkpoint = {
    read: async () => saved.value,
    write: async (value: Json) => {
      if (full.disk) throw new Error("no space left on device");
      saved.value = value;
    },
  };
  const open = () => new PendingEvictions(checkpoint, clock, (error) => failures.push(error));
  return { saved, failures, checkpoint, clock, open };
}

test("a victim stands on disk before its kill, and until it is gone", async () => {
  const { saved, open } = remembered();
  const pending = open();
  await pending.begin("a");
  await pending.begin("b");
  expect(saved.value).toEqual({ pods: ["a", "b"] });
  await pending.end((uid) => uid === "a");
  expect(await open().load()).toEqual(["b"]);
});

test("those of an earlier life stay until they are over too", async () => {
  const { saved, open } = remembered();
  await open().begin("old");
  const next = open();
  await next.load();
  await next.begin("new");
  expect(saved.value).toEqual({ pods: ["old", "new"] });
});

test("a full disk holds up nobody's eviction: it is told, and the next change is written", async () => {
  const full = { disk: true };
  const { saved, failures, open } = remembered(full);
  const pending = open();
  await pending.begin("a");
  await pending.end((uid) => uid === "a");
  expect(failures).toHaveLength(2);
  full.disk = false;
  await pending.begin("b");
  expect(saved.value).toEqual({ pods: ["b"] });
});

test("a disk that hangs holds up a kill for a second, not for ever; once it goes on, what holds by then is written", async () => {
  const { saved, failures, checkpoint, clock, open } = remembered();
  const write = checkpoint.write;
  let goOn = (): void => undefined;
  checkpoint.write = async (value) => {
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await write(value);
  };
  const pending = open();
  let begun = false;
  const first = pending.begin("a").then(() => {
    begun = true;
  });
  await clock.advance(900);
  expect(begun).toBe(false);
  await clock.advance(200);
  await first;
  expect(failures.map(String)).toEqual([expect.stringContaining("has not taken it within 1000 ms")]);
  const second = pending.begin("b");
  checkpoint.write = write;
  goOn();
  await second;
  expect(saved.value).toEqual({ pods: ["a", "b"] });
});

test.each([
  { name: "nothing", saved: undefined },
  { name: "a list", saved: ["a"] },
  { name: "numbers", saved: { pods: [1, 2] } },
])("a checkpoint that holds $name names nobody", async ({ saved: value }) => {
  const { saved, open } = remembered();
  saved.value = value;
  expect(await open().load()).toEqual([]);
});

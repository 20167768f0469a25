/** Images that are about to be used cannot be removed. */

import { type Runtime, RuntimeError } from "@hooklet/cri-api";
import { expect, test } from "@jest/globals";
import { ImageLeases } from "../../../src/images/leases.js";

/** Image ids by name; `slow`: removals end when it is called. */
function world({ sandboxImage, slow = false }: { sandboxImage?: string; slow?: boolean } = {}) {
  const ids: Record<string, string> = { web: "1", "web:2": "1", db: "2", pause: "3" };
  const removed: [string, string | undefined][] = [];
  const ends: (() => void)[] = [];
  const runtime = {
    name: "own",
    info: async () => ({ sandboxImage }),
    imageStatus: async (name: string, handler?: string) => {
      if (name === "???") throw new RuntimeError("invalid-image-name", "no name");
      if (name === "broken") throw new RuntimeError("unavailable", "away");
      const id = ids[name];
      return id === undefined ? undefined : { id: `${id}${handler ?? ""}` };
    },
    removeImage: async (name: string, handler?: string) => {
      removed.push([name, handler]);
      if (slow) await new Promise<void>((resolve) => ends.push(resolve));
    },
  } as unknown as Runtime;
  const leases = new ImageLeases();
  return { leases, guarded: leases.protect(runtime), removed, ends };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const inUse = (image: string, why: string) =>
  expect.objectContaining({ code: "failed-precondition", message: `image ${image} is about to be used: ${why}` });

test.each(["web", "web:2"])(
  "an image that is held as web cannot be removed as %s, until the last holder lets go",
  async (name) => {
    const { leases, guarded, removed } = world();
    const [first, second] = [await leases.hold("web"), await leases.hold("web")];
    const refused = () =>
      expect(guarded.removeImage(name)).rejects.toEqual(inUse(name, "a container of web is being started"));
    await refused();
    first();
    expect(leases.held()).toEqual(["web"]);
    await refused();
    second();
    expect(leases.held()).toEqual([]);
    await guarded.removeImage(name);
    expect(removed).toEqual([[name, undefined]]);
  },
);

test("other images go, and one that is not there is the runtime's to answer for", async () => {
  const { leases, guarded, removed } = world();
  await leases.hold("web");
  await guarded.removeImage("db", "kata");
  await guarded.removeImage("gone");
  expect(removed).toEqual([
    ["db", "kata"],
    ["gone", undefined],
  ]);
});

test("an image that is held under a name that the runtime does not know yet cannot be removed under that name", async () => {
  const { leases, guarded } = world();
  await leases.hold("new");
  await expect(guarded.removeImage("new")).rejects.toEqual(inUse("new", "a container of new is being started"));
});

test("the image of all sandboxes cannot be removed", async () => {
  const { guarded } = world({ sandboxImage: "pause" });
  await expect(guarded.removeImage("pause")).rejects.toEqual(inUse("pause", "every sandbox runs from it"));
});

test("a held name that the runtime does not understand holds nothing; another error of the runtime ends the removal", async () => {
  const { leases, guarded, removed } = world();
  const free = await leases.hold("???");
  await guarded.removeImage("db");
  expect(removed).toHaveLength(1);
  free();
  await leases.hold("broken");
  await expect(guarded.removeImage("web")).rejects.toMatchObject({ code: "unavailable" });
});

test("removals run one after the other, and a start waits for the one under way", async () => {
  const { leases, guarded, removed, ends } = world({ slow: true });
  const both = [guarded.removeImage("web"), guarded.removeImage("db")];
  await turn();
  let held = false;
  const hold = leases.hold("other").then(() => {
    held = true;
  });
  await turn();
  expect([removed.length, held]).toEqual([1, false]);
  ends[0]?.();
  await turn();
  expect([removed.length, held]).toEqual([2, false]);
  ends[1]?.();
  await Promise.all([...both, hold]);
  expect(held).toBe(true);
});

test("a removal that failed does not keep the next one", async () => {
  const { leases, guarded, removed } = world();
  const free = await leases.hold("web");
  await expect(guarded.removeImage("web")).rejects.toThrow();
  free();
  await guarded.removeImage("web");
  expect(removed).toHaveLength(1);
});

test("the rest of the runtime is as it was", () => {
  expect(world().guarded.name).toBe("own");
});

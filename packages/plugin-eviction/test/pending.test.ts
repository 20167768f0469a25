import type { Json } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { PendingEvictions } from "../src/pending.js";

function remembered(full = { disk: false }) {
  const saved: { value: Json | undefined } = { value: undefined };
  const failures: unknown[] = [];
  const checkpoint = {
    read: async () => saved.value,
    write: async (value: Json) => {
      if (full.disk) throw new Error("no space left on device");
      saved.value = value;
    },
  };
  return { saved, failures, open: () => new PendingEvictions(checkpoint, (error) => failures.push(error)) };
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

test.each([
  { name: "nothing", saved: undefined },
  { name: "a list", saved: ["a"] },
  { name: "numbers", saved: { pods: [1, 2] } },
])("a checkpoint that holds $name names nobody", async ({ saved: value }) => {
  const { saved, open } = remembered();
  saved.value = value;
  expect(await open().load()).toEqual([]);
});

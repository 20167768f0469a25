import type { Json } from "@hooklet/core";
import { keepIn } from "@hooklet/core/internal";
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { PendingEvictions } from "../../src/pending.js";

function remembered() {
  const saved: { value: Json | undefined } = { value: undefined };
  const file = {
    read: async () => saved.value,
    readAs: async <T>(accept: (value: Json) => T) => (saved.value === undefined ? undefined : accept(saved.value)),
    write: async (value: Json) => {
      saved.value = value;
    },
  };
  const clock = new VirtualClock();
  const open = () => new PendingEvictions({ keep: (options) => keepIn(file, clock, options) }, () => undefined);
  return { saved, open };
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

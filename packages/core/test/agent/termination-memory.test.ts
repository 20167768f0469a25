import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../testkit/src/virtual-clock.js";
import { TerminationMemory } from "../../src/agent/termination-memory.js";
import type { TerminationCause } from "../../src/hooks/termination.js";
import type { Json } from "../../src/lib/json.js";

const cause: TerminationCause = { kind: "evicted", reason: "Evicted", message: "disk", by: "eviction" };

function memory() {
  const clock = new VirtualClock();
  const disk = { full: false, file: undefined as Json | undefined, writes: 0 };
  const reports: string[] = [];
  const made = new TerminationMemory({
    clock,
    report: (where, error) => void reports.push(`${where}: ${(error as Error).message}`),
    checkpoint: {
      read: async () => disk.file,
      write: async (value) => {
        disk.writes++;
        if (disk.full) throw new Error("ENOSPC: no space left on device");
        disk.file = structuredClone(value);
      },
    },
  });
  return { clock, disk, reports, memory: made };
}

test("a cause is on disk when remember resolves, and is written once", async () => {
  const here = memory();
  await here.memory.remember("u1", cause);
  await here.memory.remember("u1", cause);
  expect(here.disk).toMatchObject({ file: { u1: cause }, writes: 1 });
});

test("a full disk holds no eviction up; the cause is written on the next call", async () => {
  const here = memory();
  here.disk.full = true;
  await here.memory.remember("u1", cause);
  expect(here.reports).toEqual(["terminations: ENOSPC: no space left on device"]);
  here.disk.full = false;
  await here.memory.remember("u1", cause);
  expect(here.disk.file).toEqual({ u1: cause });
});

test("without another call it is tried again every 10 s until it is written, and then no more", async () => {
  const here = memory();
  here.disk.full = true;
  await here.memory.remember("u1", cause);
  await here.clock.advance(25_000);
  expect(here.disk).toMatchObject({ file: undefined, writes: 3 });
  here.disk.full = false;
  await here.clock.advance(60_000);
  expect(here.disk).toMatchObject({ file: { u1: cause }, writes: 4 });
});

test("a memory that is stopped tries no more", async () => {
  const here = memory();
  here.disk.full = true;
  await here.memory.remember("u1", cause);
  here.memory.stop();
  await here.clock.advance(60_000);
  expect(here.disk.writes).toBe(1);
});

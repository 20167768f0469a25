import type { StateFile } from "@hooklet/linux";
import type { Json } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { keepIn } from "../../../src/agent/kept.js";
import { TerminationCauses } from "../../../src/agent/pod-ports.js";
import type { TerminationCause } from "../../../src/hooks/termination.js";

const cause: TerminationCause = { kind: "evicted", reason: "Evicted", message: "disk", by: "eviction" };

function memory() {
  const clock = new VirtualClock();
  const disk = { full: false, file: undefined as Json | undefined, writes: 0 };
  const reports: string[] = [];
  const file: StateFile<Json> = {
    read: async () => disk.file,
    readAs: async (accept) => (disk.file === undefined ? undefined : accept(disk.file)),
    write: async (value) => {
      disk.writes++;
      if (disk.full) throw new Error("ENOSPC: no space left on device");
      disk.file = structuredClone(value);
    },
  };
  const made = new TerminationCauses({
    report: (where, error) => void reports.push(`${where}: ${(error as Error).message}`),
    checkpoint: { keep: (options) => keepIn(file, clock, options) },
  });
  return { clock, disk, reports, memory: made };
}

test("a cause is on disk when remember resolves, and is there after a restart", async () => {
  const here = memory();
  await here.memory.remember("u1", cause);
  expect(here.disk.file).toEqual({ u1: cause });
  expect(await here.memory.load()).toEqual(new Map([["u1", cause]]));
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

test("a memory that is stopped tries once more, and then no more", async () => {
  const here = memory();
  here.disk.full = true;
  await here.memory.remember("u1", cause);
  await here.memory.stop();
  await here.clock.advance(60_000);
  expect(here.disk.writes).toBe(2);
});

import type { StateFile } from "@hooklet/linux";
import type { Json } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { keepIn } from "../../../src/agent/kept.js";
import type { KeepOptions } from "../../../src/plugin/contract.js";

interface Counted {
  readonly count: number;
}

/** A number that is kept on a disk that can be full, or hang until `goOn`. */
function aKept(options: Partial<KeepOptions<Counted>> = {}, saved?: Json) {
  const clock = new VirtualClock();
  const disk = { saved, writes: [] as number[], full: false, hangs: false, goOn: (): void => undefined };
  const failures: string[] = [];
  const state = { count: 0 };
  let last = Promise.resolve();
  const file: StateFile<Json> = {
    read: async () => disk.saved,
    readAs: async (accept) => (disk.saved === undefined ? undefined : accept(disk.saved)),
    write: (value) => {
      const done = last.then(async () => {
        if (disk.hangs) await new Promise<void>((resolve) => (disk.goOn = resolve));
        disk.writes.push((value as unknown as Counted).count);
        if (disk.full) throw new Error("no space left on device");
        disk.saved = structuredClone(value);
      });
      last = done.catch(() => undefined);
      return done;
    },
  };
  const kept = keepIn<Counted>(file, clock, {
    value: () => ({ ...state }),
    schema: (z) => z.object({ count: z.int() }),
    failed: (error) => failures.push((error as Error).message),
    ...options,
  });
  const count = (): void => {
    state.count++;
    kept.changed();
  };
  return { clock, disk, failures, state, kept, count };
}

test("changes of one turn are one write, those that follow are one more after the spacing", async () => {
  const { clock, disk, count } = aKept({ spacing: 100 });
  for (let change = 0; change < 3; change++) count();
  await clock.advance(1);
  expect(disk.writes).toEqual([3]);
  for (let change = 0; change < 3; change++) {
    count();
    await clock.advance(10);
  }
  expect(disk.writes).toEqual([3]);
  await clock.advance(100);
  expect(disk.writes).toEqual([3, 6]);
  await clock.advance(1_000);
  expect(disk.writes).toEqual([3, 6]);
});

test("saved resolves once what holds is on disk", async () => {
  const { disk, state, kept } = aKept();
  state.count = 7;
  await kept.saved();
  expect(disk.saved).toEqual({ count: 7 });
});

test("a hanging disk blocks no longer than requested; afterwards the current value is written", async () => {
  const { clock, disk, failures, state, kept } = aKept({ within: 1_000 });
  disk.hangs = true;
  state.count = 1;
  let waited = false;
  const saved = kept.saved().then(() => {
    waited = true;
  });
  await clock.advance(900);
  expect(waited).toBe(false);
  await clock.advance(200);
  await saved;
  expect(failures).toEqual(["the disk has not taken it within 1000 ms; it is still being written"]);
  state.count = 2;
  disk.hangs = false;
  disk.goOn();
  await kept.saved();
  expect(disk.saved).toEqual({ count: 2 });
});

test("a full disk blocks no caller: it is reported once, and the next change is written", async () => {
  const { clock, disk, failures, kept, count } = aKept();
  disk.full = true;
  for (let change = 0; change < 3; change++) {
    count();
    await clock.advance(10);
  }
  await kept.saved();
  expect(failures).toEqual(["no space left on device"]);
  disk.full = false;
  count();
  await clock.advance(10);
  expect(disk.saved).toEqual({ count: 4 });
  disk.full = true;
  await kept.saved();
  expect(failures).toHaveLength(2);
});

test("a write that failed is tried again at its interval until it succeeds, and then no more", async () => {
  const { clock, disk, kept } = aKept({ retry: 10_000 });
  disk.full = true;
  await kept.saved();
  await clock.advance(25_000);
  expect(disk.writes).toHaveLength(3);
  disk.full = false;
  await clock.advance(60_000);
  expect(disk.writes).toHaveLength(4);
});

test("once all is written nothing is planned", async () => {
  const { clock, kept, count } = aKept({ spacing: 1_000, retry: 1_000 });
  await kept.saved();
  expect(clock.pending).toBe(0);
  count();
  await clock.advance(1_000);
  expect(clock.pending).toBe(0);
});

test("changes while the disk hangs are one more write, after the spacing", async () => {
  const { clock, disk, count } = aKept({ spacing: 1_000 });
  disk.hangs = true;
  count();
  await clock.advance(1);
  for (let change = 0; change < 3; change++) {
    count();
    await clock.advance(100);
  }
  expect(disk.writes).toEqual([]);
  disk.hangs = false;
  disk.goOn();
  await clock.advance(600);
  expect(disk.writes).toEqual([1]);
  await clock.advance(200);
  expect(disk.writes).toEqual([1, 4]);
});

test("without a time of its own a write that failed is not tried again", async () => {
  const { clock, disk, kept } = aKept();
  disk.full = true;
  await kept.saved();
  await clock.advance(60_000);
  expect(disk.writes).toHaveLength(1);
});

test("close writes what is not written yet, and nothing comes after it", async () => {
  const { clock, disk, kept, count } = aKept({ spacing: 1_000, retry: 1_000 });
  count();
  await clock.advance(1);
  count();
  await kept.close();
  expect(disk.saved).toEqual({ count: 2 });
  await clock.advance(60_000);
  expect(disk.writes).toEqual([1, 2]);
});

test.each<{ readonly name: string; readonly saved: Json; readonly where: string }>([
  { name: "a list", saved: [1], where: "the whole: " },
  { name: "another type", saved: { count: "1" }, where: "count: " },
  { name: "nothing of it", saved: {}, where: "count: " },
])("a file that contains $name is refused, and moved aside by its owner", async ({ saved, where }) => {
  await expect(aKept({}, saved).kept.read()).rejects.toThrow(new RegExp(`^${where}Invalid input`));
});

test("a file has what was saved", async () => {
  expect(await aKept({}, { count: 3 }).kept.read()).toEqual({ count: 3 });
});

test("without a file there is nothing", async () => {
  expect(await aKept().kept.read()).toBeUndefined();
});

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sleep, withDeadline } from "@hooklet/core";
import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { VirtualClock } from "../../../src/clock/virtual-clock.js";

test("timers run in order of their time, ties in order of insertion, each at its own time", async () => {
  const clock = new VirtualClock();
  const ran: string[] = [];
  const note = (name: string) => () => ran.push(`${name}@${clock.monotonic()}`);
  clock.schedule(20, note("late"));
  clock.schedule(10, note("first"));
  clock.schedule(10, note("second"));
  clock.schedule(-5, note("past"));
  await clock.advance(15);
  expect(ran).toEqual(["past@0", "first@10", "second@10"]);
  expect(clock.monotonic()).toBe(15);
});

test("any timers, with any of them cancelled, run sorted by time and then by insertion", async () => {
  const timers = fc.array(fc.record({ delay: fc.integer({ min: 0, max: 30 }), cancelled: fc.boolean() }), {
    maxLength: 200,
  });
  await fc.assert(
    fc.asyncProperty(timers, async (specs) => {
      const clock = new VirtualClock();
      const ran: number[] = [];
      const handles = specs.map(({ delay }, index) => clock.schedule(delay, () => ran.push(index)));
      specs.forEach(({ cancelled }, index) => {
        if (cancelled) handles[index]?.cancel();
      });
      const expected = specs
        .map((spec, index) => ({ ...spec, index }))
        .filter((spec) => !spec.cancelled)
        .sort((a, b) => a.delay - b.delay || a.index - b.index)
        .map((spec) => spec.index);
      expect(clock.pending).toBe(expected.length);
      await clock.advance(30);
      expect(ran).toEqual(expected);
      expect(clock.pending).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test("advancing in pieces runs the same timers at the same times as advancing at once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 }), async (pieces) => {
      const run = async (steps: readonly number[]): Promise<string[]> => {
        const clock = new VirtualClock();
        const ran: string[] = [];
        const every = (ms: number): void => {
          clock.schedule(ms, () => {
            ran.push(`${ms}@${clock.monotonic()}`);
            every(ms);
          });
        };
        every(3);
        every(7);
        for (const step of steps) await clock.advance(step);
        return ran;
      };
      expect(await run(pieces)).toEqual(await run([pieces.reduce((sum, piece) => sum + piece, 0)]));
    }),
    { numRuns: 40 },
  );
});

test("all promises that are ready run between two timers of the same instant", async () => {
  const clock = new VirtualClock();
  const ran: string[] = [];
  clock.schedule(1, () => {
    ran.push("first");
    void Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => ran.push("its promises"));
  });
  clock.schedule(1, () => ran.push("second"));
  await clock.advance(1);
  expect(ran).toEqual(["first", "its promises", "second"]);
});

test("a chain of sleeps passes in one advance", async () => {
  const clock = new VirtualClock();
  const woke: number[] = [];
  const chain = (async () => {
    for (let i = 0; i < 3; i++) {
      await sleep(clock, 1000);
      woke.push(clock.monotonic());
    }
  })();
  await clock.advance(3000);
  await chain;
  expect(woke).toEqual([1000, 2000, 3000]);
});

test("time does not move on while a file is being read or written", async () => {
  const dir = await mkdtemp(join(tmpdir(), "hooklet-clock-"));
  const clock = new VirtualClock();
  const at: number[] = [];
  const work = (async () => {
    await sleep(clock, 10);
    await writeFile(join(dir, "state"), "x".repeat(1_000_000));
    await readFile(join(dir, "state"));
    at.push(clock.monotonic());
    await sleep(clock, 10);
    at.push(clock.monotonic());
  })();
  clock.schedule(11, () => {});
  await clock.advance(100);
  await work;
  await rm(dir, { recursive: true });
  expect(at).toEqual([10, 20]);
});

test("a jump moves the wall clock and no timer", async () => {
  const clock = new VirtualClock();
  const before = clock.now();
  let ran = false;
  clock.schedule(1000, () => {
    ran = true;
  });
  clock.jump(-3_600_000);
  await clock.settle();
  expect(clock.now()).toBe(before - 3_600_000);
  expect(clock.monotonic()).toBe(0);
  expect(ran).toBe(false);
  await clock.advance(1000);
  expect(ran).toBe(true);
});

test("every clock starts at the same default moment", () => {
  expect(new VirtualClock().now()).toBe(new VirtualClock().now());
  expect(new VirtualClock({ start: 5 }).now()).toBe(5);
});

test("a timer counts as pending until it runs or is cancelled, and cancelling again changes nothing", async () => {
  const clock = new VirtualClock();
  const timer = clock.schedule(10, () => {});
  clock.schedule(20, () => {});
  expect(clock.pending).toBe(2);
  timer.cancel();
  timer.cancel();
  expect(clock.pending).toBe(1);
  await clock.advance(20);
  timer.cancel();
  expect(clock.pending).toBe(0);
});

test("a deadline that was met leaves no timer behind", async () => {
  const clock = new VirtualClock();
  await withDeadline(clock, 1000, Promise.resolve("done"), () => new Error("late"));
  expect(clock.pending).toBe(0);
});

test("advanceUntil stops at the instant at which the predicate holds", async () => {
  const clock = new VirtualClock();
  let count = 0;
  const tick = (): void => {
    count += 1;
    clock.schedule(1000, tick);
  };
  clock.schedule(1000, tick);
  expect(await clock.advanceUntil(() => count === 5)).toBe(true);
  expect(clock.monotonic()).toBe(5000);
  expect(await clock.advanceUntil(() => count === 50, 2500)).toBe(false);
  expect(clock.monotonic()).toBe(7500);
});

test("two advances at once follow each other", async () => {
  const clock = new VirtualClock();
  await Promise.all([clock.advance(10), clock.advance(5)]);
  expect(clock.monotonic()).toBe(15);
});

test("an error of a timer comes out of advance, and the clock continues afterwards", async () => {
  const clock = new VirtualClock();
  clock.schedule(5, () => {
    throw new Error("broken timer");
  });
  await expect(clock.advance(10)).rejects.toThrow("broken timer");
  expect(clock.monotonic()).toBe(5);
  await clock.advance(5);
  expect(clock.monotonic()).toBe(10);
});

test("a delay or a duration that is no number is refused", async () => {
  const clock = new VirtualClock();
  expect(() => clock.schedule(Number.NaN, () => {})).toThrow("got NaN");
  await expect(clock.advance(-1)).rejects.toThrow("Time passes forwards");
  await expect(clock.advance(Number.POSITIVE_INFINITY)).rejects.toThrow("got Infinity");
});

test("3 600 idle ticks with 10 000 further timers waiting take their order and no more", async () => {
  const clock = new VirtualClock();
  for (let i = 0; i < 10_000; i++) clock.schedule(1e9 + i, () => {});
  let ticks = 0;
  const tick = (): void => {
    ticks += 1;
    clock.schedule(1000, tick);
  };
  clock.schedule(1000, tick);
  await clock.advance(3_600_000);
  expect(ticks).toBe(3600);
  expect(clock.pending).toBe(10_001);
});

test("timers that are cancelled do not pile up", async () => {
  const clock = new VirtualClock();
  const started = process.cpuUsage();
  for (let i = 0; i < 100_000; i++) clock.schedule(1e9, () => {}).cancel();
  expect(clock.pending).toBe(0);
  await clock.advance(1);
  // Of the processor's time: others use it as well.
  expect(process.cpuUsage(started).user).toBeLessThan(3_000_000);
});

test("two clocks that advance at once do not wait for each other", async () => {
  const clocks = [new VirtualClock(), new VirtualClock()];
  for (const clock of clocks) for (let i = 0; i < 50; i++) clock.schedule(i, () => {});
  const looks = jest.spyOn(process, "getActiveResourcesInfo");
  await Promise.all(clocks.map((clock) => clock.advance(100)));
  expect(clocks.map((clock) => clock.pending)).toEqual([0, 0]);
  // Each instant is checked until nothing is under way; without that there would be a hundred checks.
  expect(looks.mock.calls.length).toBeLessThan(1_000);
  looks.mockRestore();
});

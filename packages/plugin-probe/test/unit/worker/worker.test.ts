/** When a probe's steps come, and what a worker keeps of what was found. */
import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { Scheduler } from "../../../src/scheduler.js";
import type { ScheduleInput } from "../../../src/schedules.js";
import type { Round, TimedRound } from "../../../src/types.js";
import type { Change, PodLook } from "../../../src/worker/state-machine.js";
import { ProbeWorker } from "../../../src/worker/worker.js";

const PERIOD = 10_000;

let clock: VirtualClock;
/** Monotonic milliseconds of each look, since the start of the test. */
let looks: number[];
let changes: readonly Change[];
let asked: ScheduleInput["reason"][];
/** Each ends one round. */
let rounds: ((round: Round | undefined, milliseconds: number) => Promise<void>)[];
let reported: string[];
let pod: PodLook | undefined;
let ended: number;
let began: number;
beforeEach(() => {
  clock = new VirtualClock();
  began = clock.monotonic();
  [looks, asked, rounds, reported, changes] = [[], [], [], [], []];
  ended = 0;
  pod = running("c1");
});

function running(id: string, more: object = {}): PodLook {
  const container = {
    id,
    state: "running",
    started: true,
    runningForSeconds: 100,
    willRestart: true,
    adopted: false,
    ...more,
  };
  return { phase: "Running", deletionRequested: false, container: container as PodLook["container"] };
}

/** Due every 10 s, the first time as it is planned. `answers`: rounds end at once. */
function worker({ answers = true, agentAge = 1_000_000, first = (since: number) => since } = {}): ProbeWorker {
  const own: ProbeWorker = new ProbeWorker({
    podUid: "u1",
    container: "main",
    spec: {
      kind: "readiness",
      handler: "http",
      initialDelaySeconds: 0,
      periodMilliseconds: PERIOD,
      successThreshold: 1,
      failureThreshold: 3,
    } as never,
    metrics: {
      probed: (result: string, seconds: number) => reported.push(`${result} ${seconds}`),
      remove() {},
    } as never,
    share: { fraction: 0, index: 0 },
    ports: {
      clock,
      scheduler: new Scheduler(clock),
      schedule: ({ reason, due, now }: ScheduleInput) => {
        asked.push(reason);
        if (reason === "first") return first(due);
        return reason === "trigger" ? now + PERIOD : due + (Math.floor((now - due) / PERIOD) + 1) * PERIOD;
      },
      agentStartedAt: began - agentAge,
      look: () => {
        looks.push(clock.monotonic() - began);
        return pod;
      },
      round: () =>
        new Promise<TimedRound>((resolve) => {
          rounds.push(async (round, milliseconds) => {
            resolve({ round, milliseconds });
            await new Promise((turn) => setImmediate(turn));
          });
          if (answers) resolve({ round: { result: "success", error: false, output: "ok" }, milliseconds: 5 });
        }),
      changed: (_: ProbeWorker, change: Change) => {
        changes = [...changes, change];
      },
      ended: () => {
        ended += 1;
      },
    } as never,
  });
  return own;
}
const failed = (output = "503"): Round => ({ result: "failure", error: false, output });

describe("a step", () => {
  test("comes each period from the start of its pod on; those before now are left out", async () => {
    await clock.advance(25_000);
    const own = worker();
    own.begin(began);
    own.begin(began);
    await clock.advance(20_000);
    expect(looks).toEqual([30_000, 40_000]);
    expect(asked.slice(0, 2)).toEqual(["first", "tick"]);
  });

  test("is planned before it comes, and has no time while one is under way", async () => {
    const own = worker({ answers: false });
    expect(own.nextAt).toBeUndefined();
    own.begin(began + 3_000);
    expect((own.nextAt ?? 0) - began).toBe(3_000);
    await clock.advance(3_000);
    expect([rounds.length, own.nextAt]).toEqual([1, undefined]);
    await rounds[0]?.(undefined, 0);
    expect((own.nextAt ?? 0) - began).toBe(13_000);
  });

  test("whose probe takes longer than the period is followed by the next at once", async () => {
    const own = worker({ answers: false });
    own.begin(began);
    await clock.advance(12_000);
    expect(looks).toEqual([0]);
    await rounds[0]?.(failed(), 12_000);
    await clock.advance(1);
    expect(looks.length).toBe(2);
  });

  test("that is asked for comes at once, and once, and another schedule begins with it", async () => {
    const own = worker();
    own.trigger();
    own.begin(began);
    await clock.advance(4_000);
    own.trigger();
    own.trigger();
    await clock.advance(11_000);
    expect(looks).toEqual([0, 4_000, 14_000]);
    expect(asked).toContain("trigger");
  });

  test("that is asked for while one is under way comes after it", async () => {
    const own = worker({ answers: false });
    own.begin(began);
    await clock.advance(1);
    own.trigger();
    await clock.advance(100);
    expect(looks.length).toBe(1);
    await rounds[0]?.(failed(), 100);
    await clock.advance(1);
    expect(looks.length).toBe(2);
  });

  test("is not asked for while a young agent spreads the first ones", async () => {
    const own = worker({ agentAge: 1_000, first: (since) => since + 5_000 });
    own.begin(began);
    own.trigger();
    await clock.advance(4_999);
    expect(looks).toEqual([]);
    await clock.advance(1);
    own.trigger();
    await clock.advance(1);
    expect(looks.length).toBe(2);
  });

  test("is the last once the worker is stopped, whatever is under way", async () => {
    const own = worker({ answers: false });
    own.begin(began);
    await clock.advance(1);
    own.stop();
    await rounds[0]?.(failed(), 1);
    own.trigger();
    await clock.advance(100_000);
    expect([looks.length, own.stopped, own.nextAt, own.last, clock.pending]).toEqual([
      1,
      true,
      undefined,
      undefined,
      0,
    ]);
  });

  test("that finds nothing to probe waits for the next one; that of a pod that has ended is the last", async () => {
    const own = worker();
    pod = undefined;
    own.begin(began);
    await clock.advance(10_000);
    expect([looks.length, rounds.length, ended]).toEqual([2, 0, 0]);
    pod = { phase: "Succeeded", deletionRequested: false, container: undefined };
    await clock.advance(10_000);
    expect([looks.length, ended]).toEqual([3, 1]);
  });
});

describe("what was found", () => {
  test("is kept with its time, counted, measured, and changes the result", async () => {
    const own = worker({ answers: false });
    own.begin(began);
    await clock.advance(1);
    await rounds[0]?.({ result: "success", error: false, output: "fine" }, 1_500);
    expect(own.last).toEqual({ at: clock.now(), result: "success", output: "fine" });
    expect([reported, own.failures, own.latencies.mean]).toEqual([["success 1.5"], [], 1_500]);
    expect(own.state).toMatchObject({ lastResult: "success", resultRun: 1 });
    expect(changes.at(-1)).toEqual({ store: { containerId: "c1", result: "success" } });
  });

  test("is no result when it is an error: it is kept for messages alone", async () => {
    const own = worker({ answers: false });
    own.begin(began);
    await clock.advance(1);
    await rounds[0]?.({ result: "failure", error: true, output: "no route" }, 7);
    expect(own.last).toMatchObject({ result: "error", output: "no route" });
    expect([own.failures.length, reported, own.latencies.mean, own.state.lastResult]).toEqual([
      1,
      [],
      undefined,
      undefined,
    ]);
  });

  test("stays for the last three that were no success, the oldest first, until there is another container", async () => {
    const own = worker({ answers: false });
    own.begin(began);
    for (const output of ["1", "2", "3", "4"]) {
      await clock.advance(10_000);
      await rounds.at(-1)?.(failed(output), 1);
    }
    expect(own.failures.map(({ output }) => output)).toEqual(["2", "3", "4"]);
    own.explained = "x";
    pod = running("c2");
    await clock.advance(10_000);
    expect([own.failures, own.explained, own.state.containerId]).toEqual([[], undefined, "c2"]);
  });

  test.each([
    [160, 160, false],
    [161, 160, true],
  ])("of %i characters is kept in %i", async (length, kept, isCut) => {
    const own = worker({ answers: false });
    own.begin(began);
    await clock.advance(1);
    await rounds[0]?.(failed("x".repeat(length)), 1);
    expect([own.last?.output.length, own.last?.output.endsWith("…")]).toEqual([kept, isCut]);
  });
});

/** What a probe's attempts come to: the result, the event, and what keeps the worker going. */
import { aContainer, aPod, VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { ProbeLimits } from "../../src/probe-limits.js";
import { probeRound, roundOf, timedRound } from "../../src/probe-round.js";
import type { Attempt, Round } from "../../src/types.js";
import type { ProbeWorker } from "../../src/worker/worker.js";

const success: Attempt = { result: "success", output: "ok" };
const failure: Attempt = { result: "failure", output: "503" };
const error: Attempt = { result: "unknown", output: "", error: "no route" };

test.each<{ name: string; attempt: Attempt; round: object }>([
  { name: "success", attempt: success, round: { result: "success", error: false, output: "ok" } },
  {
    name: "a warning: a success with an event",
    attempt: { result: "warning", output: "redirected" },
    round: {
      result: "success",
      error: false,
      output: "redirected",
      event: { type: "Warning", reason: "ProbeWarning", message: "Liveness probe warning: redirected" },
    },
  },
  {
    name: "failure",
    attempt: failure,
    round: {
      result: "failure",
      error: false,
      output: "503",
      event: { type: "Warning", reason: "Unhealthy", message: "Liveness probe failed: 503" },
    },
  },
  {
    name: "no verdict: a failure without an event",
    attempt: { result: "unknown", output: "?" },
    round: { result: "failure", error: false, output: "?" },
  },
  {
    name: "an error: no result at all",
    attempt: error,
    round: {
      result: "failure",
      error: true,
      output: "no route",
      event: {
        type: "Warning",
        reason: "Unhealthy",
        message: "Liveness probe errored and resulted in unknown state: no route",
      },
    },
  },
])("$name", ({ attempt, round }) => {
  expect(roundOf("liveness", attempt)).toEqual(round);
});

test.each<{ attempts: readonly Attempt[]; made: number; output: string }>([
  { attempts: [success], made: 1, output: "ok" },
  { attempts: [failure], made: 1, output: "503" },
  { attempts: [error, success], made: 2, output: "ok" },
  { attempts: [error, error, failure], made: 3, output: "503" },
  { attempts: [error, error, error, success], made: 3, output: "no route" },
])(
  "an attempt is repeated only after an error, and made three times at most: $made",
  async ({ attempts, made, output }) => {
    let count = 0;
    const round = await probeRound("readiness", async () => attempts[count++] as Attempt);
    expect([count, round.output]).toEqual([made, output]);
  },
);

describe("a round", () => {
  const pod = aPod({ name: "web", uid: "u1", containers: [aContainer({ name: "main" })] });

  function start({
    attempt = async () => failure,
    container = "main",
    known = true,
    most = 1,
  }: {
    attempt?: () => Promise<Attempt>;
    container?: string;
    known?: boolean;
    most?: number;
  } = {}) {
    const clock = new VirtualClock();
    const events: string[] = [];
    const logged: string[] = [];
    const subjects: unknown[] = [];
    const limits = new ProbeLimits(
      clock,
      { maxConcurrent: { exec: most, http: most, tcp: most, grpc: most } },
      () => {},
    );
    const ctx = {
      clock,
      pods: { get: () => (known ? { ...pod, status: { podIP: "10.0.0.7" } } : undefined) },
      events: { pod: (_: object, ...words: readonly string[]) => events.push(words.join(" ")) },
      log: { error: (_: object, text: string) => logged.push(text) },
    };
    const make = (
      _: object,
      __: object,
      subject: { containerId: string; podIp: string; container: { name: string } },
    ) => {
      subjects.push([subject.container.name, subject.containerId, subject.podIp]);
      return attempt();
    };
    const worker = {
      podUid: "u1",
      container,
      spec: { kind: "readiness", handler: "http" },
      state: { containerId: "c1" },
      stopped: false,
    };
    const ends: [Round | undefined, number][] = [];
    const begin = () =>
      void timedRound({ ctx, network: {}, make, limits } as never, worker as unknown as ProbeWorker).then(
        ({ round, milliseconds }) => ends.push([round, milliseconds]),
      );
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    return { begin, turn, clock, events, logged, subjects, worker, ends };
  }

  test("ends with its result and how long it took; its event names the container", async () => {
    const { begin, turn, clock, events, subjects, ends } = start({
      attempt: () => new Promise((resolve) => void clock.schedule(250, () => resolve(failure))),
    });
    begin();
    await clock.advance(250);
    await turn();
    expect(ends).toEqual([[expect.objectContaining({ result: "failure", output: "503" }), 250]]);
    expect(events).toEqual(["Warning Unhealthy Readiness probe failed: 503 main"]);
    expect(subjects).toEqual([["main", "c1", "10.0.0.7"]]);
  });

  test.each([
    { name: "pod", parts: { known: false } },
    { name: "container", parts: { container: "gone" } },
  ])("of a $name that has gone ends without a result", async ({ parts }) => {
    const { begin, turn, subjects, ends } = start(parts);
    begin();
    await turn();
    expect([ends, subjects]).toEqual([[[undefined, 0]], []]);
  });

  test("of a worker that was stopped makes no attempt; one under way makes no event", async () => {
    const { begin, turn, events, subjects, worker, ends } = start();
    begin();
    await null;
    worker.stopped = true;
    await turn();
    expect([subjects.length, events, ends]).toEqual([1, [], [[undefined, 0]]]);
    begin();
    await turn();
    expect([subjects.length, ends.length]).toEqual([1, 2]);
  });

  test("that crashes is logged, and the worker goes on", async () => {
    const { begin, turn, logged, ends } = start({ attempt: async () => Promise.reject(new Error("boom")) });
    begin();
    await turn();
    expect(logged).toEqual(["a readiness probe crashed; the next one comes in its turn"]);
    expect(ends).toEqual([[undefined, 0]]);
  });

  test("gives its place to the next one at its end", async () => {
    const waiting: ((attempt: Attempt) => void)[] = [];
    const { begin, turn, ends } = start({ attempt: () => new Promise((resolve) => waiting.push(resolve)) });
    begin();
    begin();
    await turn();
    expect(waiting).toHaveLength(1);
    waiting[0]?.(success);
    await turn();
    expect([waiting.length, ends.length]).toEqual([2, 1]);
  });
});

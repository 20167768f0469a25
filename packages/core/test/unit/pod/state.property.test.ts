import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { decide } from "../../../src/pod/decide.js";
import { next } from "../../../src/pod/next.js";
import { initialState, type PodEvent, type PodState } from "../../../src/pod/state.js";
import { aContainer, aPod } from "../../pod/pods.js";

const pod = aPod({
  restartPolicy: "OnFailure",
  initContainers: [aContainer("init"), aContainer("proxy", { restartPolicy: "Always" })],
  containers: [aContainer("a"), aContainer("b")],
});

const container = fc.constantFrom("init", "proxy", "a", "b", "nobody");
const attempt = fc.integer({ min: 0, max: 4 });
const time = fc.integer({ min: 0, max: 1_000_000 });
const cause = fc.constantFrom(
  { kind: "deleted" } as const,
  { kind: "completed" } as const,
  { kind: "deadline" } as const,
  { kind: "evicted", by: "somebody", reason: "Preempting", message: "because" } as const,
);

const event: fc.Arbitrary<PodEvent> = fc.oneof(
  fc.constant({ type: "admitted" } as const),
  fc.record({
    type: fc.constant("rejected" as const),
    reason: fc.constant("OutOfcpu"),
    message: fc.constant("no"),
    at: time,
  }),
  fc.record({ type: fc.constant("terminate" as const), cause, at: time }),
  fc.record({
    type: fc.constant("sandboxReady" as const),
    id: fc.constantFrom("s0", "s1"),
    attempt,
    ips: fc.constant([]),
    at: time,
  }),
  fc.record({ type: fc.constant("sandboxDead" as const), id: fc.constantFrom("s0", "s1"), attempt }),
  fc.constant({ type: "sandboxStopped" } as const),
  fc.record({ type: fc.constant("starting" as const), container, now: time }),
  fc.record({
    type: fc.constant("startFailed" as const),
    container,
    reason: fc.constant("ErrImagePull"),
    message: fc.constant(""),
    notBefore: time,
  }),
  fc.record({
    type: fc.constant("observed" as const),
    container,
    observation: fc.oneof(
      fc.record({
        kind: fc.constant("running" as const),
        id: fc.string(),
        attempt,
        startedAt: time,
        imageRef: fc.constant("host"),
      }),
      fc.record({
        kind: fc.constant("exited" as const),
        exit: fc.record({
          id: fc.string(),
          attempt,
          exitCode: fc.integer({ min: 0, max: 255 }),
          reason: fc.constant("Error"),
          message: fc.constant(""),
          startedAt: time,
          finishedAt: time,
          seen: time,
          imageRef: fc.constant("host"),
        }),
      }),
    ),
  }),
  fc.record({ type: fc.constant("killRequested" as const), container, message: fc.constant("liveness") }),
  fc.record({
    type: fc.constant("gate" as const),
    container,
    gate: fc.record({ ready: fc.boolean(), started: fc.boolean() }),
  }),
  fc.constant({ type: "stopped" } as const),
  fc.constant({ type: "removed" } as const),
);

const EDGES: Readonly<Record<PodState["life"]["kind"], readonly PodState["life"]["kind"][]>> = {
  pending: ["active", "rejected", "terminating"],
  rejected: ["gone"],
  active: ["terminating"],
  terminating: ["ended"],
  ended: ["gone"],
  gone: [],
};

function attemptOf(state: PodState, name: string): number {
  const current = state.containers[name];
  if (current === undefined) return -1;
  return current.kind === "exited" ? current.exit.attempt : current.attempt;
}

describe("the pod state machine, for any sequence of events", () => {
  const sequences = fc.array(event, { maxLength: 60 });

  test("the life of a pod moves along drawn edges only", () => {
    fc.assert(
      fc.property(sequences, (events) => {
        let state = initialState(pod, 0, 0);
        for (const one of events) {
          const after = next(state, one);
          if (after.life.kind !== state.life.kind) expect(EDGES[state.life.kind]).toContain(after.life.kind);
          state = after;
        }
      }),
    );
  });

  test("the cause of a termination is set once", () => {
    fc.assert(
      fc.property(sequences, (events) => {
        let state = initialState(pod, 0, 0);
        for (const one of events) {
          const after = next(state, one);
          if (state.life.kind === "terminating" && "cause" in after.life)
            expect(after.life.cause).toBe(state.life.cause);
          state = after;
        }
      }),
    );
  });

  test("attempts of a container never go back", () => {
    fc.assert(
      fc.property(sequences, (events) => {
        let state = initialState(pod, 0, 0);
        for (const one of events) {
          const after = next(state, one);
          for (const name of Object.keys(state.containers)) {
            expect(attemptOf(after, name)).toBeGreaterThanOrEqual(attemptOf(state, name));
          }
          state = after;
        }
      }),
    );
  });

  test("nothing is started once a pod is being stopped, and no main container before the init containers are done", () => {
    fc.assert(
      fc.property(sequences, time, (events, now) => {
        let state = initialState(pod, 0, 0);
        for (const one of events) {
          state = next(state, one);
          const step = decide(state, now);
          if (step.do !== "startContainer") continue;
          expect(state.life.kind).toBe("active");
          if (step.container === "a" || step.container === "b") expect(state.initialized).toBe(true);
        }
      }),
    );
  });
});

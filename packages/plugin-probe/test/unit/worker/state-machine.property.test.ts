import { describe, test } from "@jest/globals";
import fc from "fast-check";
import { probeKinds, type Result } from "../../../src/types.js";
import { newWorker, next, type PodLook, type WorkerRule } from "../../../src/worker/state-machine.js";

const rules: fc.Arbitrary<WorkerRule> = fc.record({
  kind: fc.constantFrom(...probeKinds),
  initialDelaySeconds: fc.constant(0),
  successThreshold: fc.integer({ min: 1, max: 4 }),
  failureThreshold: fc.integer({ min: 1, max: 4 }),
});

const results = fc.array(fc.constantFrom("success" as const, "failure" as const), { maxLength: 40 });

const initial = { startup: "unknown", readiness: "failure", liveness: "success" } as const;

const running = (id: string, rule: WorkerRule): PodLook => ({
  phase: "Running",
  deletionRequested: false,
  container: {
    id,
    state: "running",
    started: rule.kind !== "startup",
    runningForSeconds: 100,
    willRestart: true,
    adopted: false,
  },
});

describe("for any sequence of results of a running container", () => {
  test("the stored result changes only by the threshold rule", () => {
    fc.assert(
      fc.property(rules, results, (rule, found) => {
        let state = newWorker;
        let stored: Result | undefined;
        /** The rule by hand: the last results that are equal, in the order in which they came. */
        let expected: Result = initial[rule.kind];
        let run: ("success" | "failure")[] = [];
        let held = false;
        for (const result of found) {
          const step = next(rule, state, { type: "look", pod: running("c1", rule) });
          for (const { store } of step.changes) stored = store?.result ?? stored;
          if (held) return step.act === "wait" && stored === expected;
          if (step.act !== "probe") return false;
          const after = next(rule, step.state, { type: "probed", result });
          for (const { store } of after.changes) stored = store?.result ?? stored;
          state = after.state;
          run = run[0] === result ? [...run, result] : [result];
          if (run.length >= (result === "success" ? rule.successThreshold : rule.failureThreshold)) {
            expected = result;
            held = rule.kind === "startup" || (rule.kind === "liveness" && result === "failure");
          }
          if (stored !== expected) return false;
        }
        return true;
      }),
    );
  });

  test("a new container is never judged by the result of the one before it", () => {
    fc.assert(
      fc.property(rules, results, (rule, found) => {
        let state = newWorker;
        for (const result of found) {
          const step = next(rule, state, { type: "look", pod: running("c1", rule) });
          state = step.act === "probe" ? next(rule, step.state, { type: "probed", result }).state : step.state;
        }
        const { changes, act } = next(rule, state, { type: "look", pod: running("c2", rule) });
        const stores = changes.flatMap(({ store }) => store ?? []);
        return (
          act === "probe" &&
          stores.length === 1 &&
          stores[0]?.containerId === "c2" &&
          stores[0].result === initial[rule.kind]
        );
      }),
    );
  });
});

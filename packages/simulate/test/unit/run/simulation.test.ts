import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { scenarioConfig } from "../../../src/config/scenario-config.js";
import type { SimulationRecord } from "../../../src/records/record.js";
import { type SimulationInput, simulate } from "../../../src/run/simulation.js";
import { parseScenario } from "../../../src/scenario/read.js";

const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "main", image: "web:1" }], ...spec },
});

/** What comes of a timeline in a minute, with its records. */
async function played(timeline: readonly object[], more: object = {}, input: Partial<SimulationInput> = {}) {
  const text = JSON.stringify({ timeline, until: "1m", ...more });
  const scenario = await parseScenario(text, fileURLToPath(import.meta.url));
  const config = await scenarioConfig(scenario, { url: import.meta.url, plugins: [] });
  const records: SimulationRecord[] = [];
  const outcome = await simulate({ scenario, config, seed: 0, listener: (one) => records.push(one), ...input });
  const of = (kind: SimulationRecord["kind"]) => records.filter((one) => one.kind === kind);
  return { outcome, records, of };
}

describe("a step", () => {
  test("deletes pods, one or several", async () => {
    const steps = [
      { at: 1, apply: [pod("a"), pod("b"), pod("c")] },
      { at: 5, delete: "a" },
      { at: 6, delete: ["b", "c"] },
    ];
    const { outcome, of } = await played(steps);
    expect(outcome.final.pods).toEqual([]);
    expect(of("pod.removed").map((one) => "pod" in one && one.pod)).toEqual(["default/a", "default/b", "default/c"]);
  });

  test("ends a container with a code and a reason; it is restarted", async () => {
    const { of } = await played([
      { at: 1, apply: pod("a") },
      { at: 5, exit: { pod: "a", code: 137, reason: "OOMKilled" } },
    ]);
    expect(of("container.exited")).toEqual([expect.objectContaining({ t: 5, code: 137, reason: "OOMKilled" })]);
    expect(of("container.restarted")).toEqual([expect.objectContaining({ attempt: 1 })]);
  });

  test("says what a container does at SIGTERM: one that ignores it is killed after its grace period", async () => {
    const { of } = await played([
      { at: 1, apply: pod("a", { terminationGracePeriodSeconds: 7 }) },
      { at: 2, onTerm: { pod: "a", ignored: true } },
      { at: 5, delete: "a" },
    ]);
    expect(of("container.killed")).toEqual([expect.objectContaining({ t: 12, code: 137 })]);
  });

  test("brings objects, and removes them", async () => {
    const object = { kind: "ConfigMap", metadata: { name: "app" }, data: { level: "1" } };
    const { of } = await played([
      { at: 1, apply: object },
      { at: 2, deleteObject: { kind: "ConfigMap", name: "app" } },
    ]);
    expect(of("object.applied")).toEqual([{ t: 1, kind: "object.applied", object: "configmap/default/app" }]);
    expect(of("object.removed")).toEqual([{ t: 2, kind: "object.removed", object: "configmap/default/app" }]);
  });

  test("ends a sandbox with its containers, and the pod starts again in another one", async () => {
    const { outcome, of } = await played([
      { at: 1, apply: pod("a") },
      { at: 5, sandbox: { pod: "a" } },
    ]);
    expect(outcome.final.pods).toMatchObject([{ phase: "Running", ready: true }]);
    expect(of("container.exited").length + of("container.killed").length).toBe(1);
  });

  test("restarts the agent, and the pods run on", async () => {
    const { outcome, of } = await played([
      { at: 1, apply: pod("a") },
      { at: 5, agent: "restart" },
    ]);
    expect(of("agent.restarted")).toEqual([{ t: 5, kind: "agent.restarted" }]);
    expect(outcome.final.pods).toMatchObject([{ phase: "Running", restarts: 0 }]);
    expect(of("container.exited")).toEqual([]);
  });

  test.each([
    ["exit", { exit: { pod: "a", container: "main", code: 1 } }, "container main does not run, so it cannot exit"],
    ["usage", { usage: { pod: "a", memory: "1Gi" } }, "container main does not run, so it uses nothing"],
    ["onTerm", { onTerm: { pod: "a", container: "x" } }, "expected a container of pod a, main, found x"],
    ["delete", { delete: "nothing" }, "nothing"],
  ])("that cannot be done is a failure, with its place, time and reason: %s", async (what, step, says) => {
    const { outcome } = await played([
      { at: 1, apply: pod("a", { restartPolicy: "Never" }) },
      { at: 2, exit: { pod: "a", code: 0 } },
      { at: 5, ...step },
      { at: 6, apply: pod("later") },
    ]);
    const difference = expect.stringContaining(says);
    expect(outcome.failedSteps).toEqual([{ path: "timeline[2]", t: 5, what, difference }]);
    expect(outcome.final.pods.map(({ pod: name }) => name)).toEqual(["default/a", "default/later"]);
  });
});

describe("an expectation", () => {
  const steps = [{ at: 10, apply: pod("a") }];

  test("with a time is checked then, without one at the end, and has its index", async () => {
    const expected = [
      { at: 5, pod: "a", exists: false },
      { at: 5, pod: "a" },
      { pod: "a", phase: "Failed" },
    ];
    const { expectations } = (await played(steps, { expect: expected })).outcome;
    expect(expectations.map(({ failure }) => failure && [failure.path, failure.t, failure.what])).toEqual([
      undefined,
      ["expect[1]", 5, "pod a"],
      ["expect[2]", 60, "pod a"],
    ]);
  });

  test("of an event counts from the start until its time", async () => {
    const event = { event: "Started", pod: "a", count: 1 };
    const { expectations } = (
      await played(steps, {
        expect: [
          { at: 9, ...event },
          { at: 20, ...event },
        ],
      })
    ).outcome;
    expect(expectations.map(({ failure }) => failure?.t)).toEqual([9, undefined]);
  });
});

test("samples are spread evenly from the start to the end", async () => {
  const { samples = [] } = (await played([{ at: 10, apply: pod("a") }], {}, { samples: 4 })).outcome;
  expect(samples.map(({ t }) => t)).toEqual([0, 15, 30, 45, 60]);
  expect(samples.map(({ running, ready }) => [running, ready])).toEqual([[0, 0], ...Array(4).fill([1, 1])]);
});

test("the same input gives the same records; another seed other uids, and nothing of a root dir of the run", async () => {
  const steps = [{ at: 1, apply: pod("a", { volumes: [{ name: "v", emptyDir: {} }] }) }];
  const [one, again, other] = [await played(steps), await played(steps), await played(steps, {}, { seed: 1 })];
  expect(again.records).toEqual(one.records);
  expect(other.records.map(({ kind }) => kind)).toEqual(one.records.map(({ kind }) => kind));
  expect(JSON.stringify(one.records)).not.toContain("/simulated-");
});

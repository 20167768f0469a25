/** What goes beyond the kubelet: off by default, each an option. */

import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { type Agent, failure, probed, story, success, warnings } from "./node.js";

const refused = (agent: Agent, name = "web") => {
  const { status } = agent.pod(name);
  return [status?.phase, status?.reason, status?.message];
};
const probes = (lines: readonly string[]) => lines.filter((line) => line.includes("probe"));

describe("subSecond", () => {
  const quick = { annotations: { "probe.hooklet.dev/main.liveness.periodMilliseconds": "250" } };

  test("a pod may ask for a period below a second", async () => {
    const { passes } = await story(probed({ liveness: {} }, {}, quick), { options: { subSecond: true } });
    expect(probes(await passes(1_000))).toEqual(
      ["0", "0.25", "0.5", "0.75", "1"].map((seconds) => `${seconds} probe liveness`),
    );
  });

  test("is refused where it is off, with what to do", async () => {
    const { agent } = await story(probed({ liveness: {} }, {}, quick));
    expect(refused(agent)).toEqual([
      "Failed",
      "ProbeAnnotationNotAllowed",
      expect.stringContaining("set the option subSecond of plugin probe to allow it"),
    ]);
  });

  test.each([
    { name: "a period too short", annotation: "main.liveness.periodMilliseconds", value: "5", says: "20 to 3600000" },
    { name: "no number", annotation: "main.liveness.timeoutMilliseconds", value: "1s", says: "a whole number" },
    { name: "an unknown container", annotation: "other.liveness.periodMilliseconds", value: "100", says: '"other"' },
    { name: "an unknown kind", annotation: "main.lively.periodMilliseconds", value: "100", says: '"lively"' },
    {
      name: "a probe that is not there",
      annotation: "main.startup.periodMilliseconds",
      value: "100",
      says: "startupProbe",
    },
    { name: "an unknown field", annotation: "main.liveness.speed", value: "100", says: '"speed"' },
  ])("$name is refused", async ({ annotation, value, says }) => {
    const pod = probed({ liveness: {} }, {}, { annotations: { [`probe.hooklet.dev/${annotation}`]: value } });
    const { agent } = await story(pod, { options: { subSecond: true } });
    expect(refused(agent)).toEqual(["Failed", "ProbeAnnotationNotAllowed", expect.stringContaining(says)]);
  });
});

describe("hosts: pod", () => {
  const elsewhere = aPod({
    containers: [{ readinessProbe: { httpGet: { host: "169.254.169.254", path: "/", port: 80 } } }],
  });

  test("a probe that goes to another host than the pod is refused", async () => {
    const { agent } = await story(elsewhere, { options: { hosts: "pod" } });
    expect(refused(agent)).toEqual([
      "Failed",
      "ProbeHostNotAllowed",
      'Pod was rejected: readinessProbe of container main goes to host "169.254.169.254", but the node allows the pod\'s own address only',
    ]);
  });

  test("by default it is allowed, as by a kubelet", async () => {
    const { agent } = await story(elsewhere);
    expect(agent.pod("web").status?.phase).toBe("Running");
  });
});

describe("grpcTLS", () => {
  test("allows the annotation tls, which is refused otherwise", async () => {
    const annotations = { "probe.hooklet.dev/main.liveness.tls": "true" };
    const pod = aPod({ annotations, containers: [{ livenessProbe: { grpc: { port: 1 } } }] });
    expect(refused((await story(pod)).agent)[1]).toBe("ProbeAnnotationNotAllowed");
    expect((await story(pod, { options: { grpcTLS: true } })).agent.pod("web").status?.phase).toBe("Running");
  });
});

describe("maxConcurrent", () => {
  const pods = Array.from({ length: 6 }, (_, i) =>
    aPod({ name: `p${i}`, containers: [{ livenessProbe: { exec: { command: ["check"] }, periodSeconds: 10 } }] }),
  );

  async function execs(options: object, delay: number): Promise<{ begun: number[]; agent: Agent }> {
    const { agent } = await story(probed({}), { options });
    const begun: number[] = [];
    agent.runtime.execResult({ command: ["check"] }, (process) => {
      begun.push(agent.clock.monotonic());
      process.after(delay, () => process.exit(0));
    });
    for (const pod of pods) await agent.apply(pod);
    await agent.advance(9_000);
    const [first = 0] = begun;
    return { begun: begun.map((at) => at - first), agent };
  }

  test("without one all begin at once", async () => {
    expect((await execs({}, 900)).begun).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test("maxConcurrent.exec: the others wait their turn, which is reported once", async () => {
    const { begun, agent } = await execs({ maxConcurrent: { exec: 2 } }, 900);
    expect(begun).toEqual([0, 0, 900, 900, 1_800, 1_800]);
    expect(warnings(agent)).toEqual([
      "Warning ProbeBudgetExhausted: exec probes have to wait (1 now): at most 2 at a time; they run late. Raise maxConcurrent.exec, or probe less often.",
    ]);
  });

  test("exec probes that are slow keep no http probe waiting", async () => {
    const { agent, passes } = await story(probed({ liveness: { periodSeconds: 1 } }), {
      options: { maxConcurrent: { exec: 1 } },
    });
    agent.runtime.execResult({ command: ["check"] }, (process) => process.after(900, () => process.exit(0)));
    for (const pod of pods) await agent.apply(pod);
    expect(probes(await passes(3_500)).length).toBe(4);
  });
});

describe("schedule", () => {
  async function phases(schedule: object): Promise<number[]> {
    const { agent } = await story(probed({}), { options: schedule });
    for (let i = 0; i < 40; i++) await agent.apply(probed({ liveness: { periodSeconds: 10 } }, {}, { name: `p${i}` }));
    const { rows } = await agent.api.view("probes");
    return rows.map(({ nextAt }) => (Date.parse(String(nextAt)) - agent.clock.now()) / 1000).sort((a, b) => a - b);
  }

  test("kubelet: pods that come together are probed together", async () => {
    expect(new Set(await phases({})).size).toBe(1);
  });

  test("spread: they are spread over the period, none further from the next than twice the mean", async () => {
    const due = await phases({ schedule: "spread" });
    const gaps = due.map((at, i) => (due[i + 1] ?? (due[0] ?? 0) + 10) - at);
    expect(Math.max(...gaps)).toBeLessThan((2 * 10) / 40);
  });
});

describe("the output of the CLI", () => {
  test("get probes: what each probe is, what it found, how often in a row, and when it comes next", async () => {
    const { agent, passes } = await story(probed({ readiness: { periodSeconds: 3 }, startup: { periodSeconds: 2 } }));
    await passes(7_000);
    const { columns, rows } = await agent.api.view("probes");
    const named = (wide: boolean) => columns.filter((one) => (one.wide ?? false) === wide).map(({ name }) => name);
    expect([named(false), named(true)]).toEqual([
      ["pod", "container", "kind", "handler", "period", "result", "run", "next", "output"],
      ["mean", "p99", "last", "namespace"],
    ]);
    expect(rows).toEqual([
      expect.objectContaining({
        pod: "web",
        container: "main",
        kind: "readiness",
        handler: "http",
        period: "3s",
        result: "success",
        run: 3,
        output: "ok",
        next: "in 2.0s",
        mean: "0.0ms",
        p99: "0.0ms",
      }),
      expect.objectContaining({ kind: "startup", run: 0, next: "on hold" }),
    ]);
  });

  test("explain: why a container is not ready, and why one was restarted, with the last results", async () => {
    const { agent, passes } = await story(
      probed({ readiness: { periodSeconds: 1 }, liveness: { periodSeconds: 2, failureThreshold: 2 } }),
      { answer: (_, at) => (at < 3_000 ? success : failure) },
    );
    await passes(7_000);
    const recorded = agent.api.explain("pod", "web").map(({ outcome, considered }) => ({ outcome, considered }));
    expect(recorded.map(({ outcome }) => outcome)).toEqual(
      expect.arrayContaining([
        "not ready: 3 failures of the readiness probe in a row (failureThreshold 3)",
        "restarted: 2 failures of the liveness probe in a row (failureThreshold 2)",
      ]),
    );
    expect(recorded.find(({ outcome }) => outcome.startsWith("restarted"))?.considered).toEqual([
      { candidate: expect.stringMatching(/^probe at 2026-/), verdict: "failure", why: failure.output },
      { candidate: expect.stringMatching(/^probe at 2026-/), verdict: "failure", why: failure.output },
    ]);
  });
});

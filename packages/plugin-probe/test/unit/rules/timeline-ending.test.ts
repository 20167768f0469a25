/** What becomes of probes, and of what they found, when containers, pods and agents end. */
import { describe, expect, test } from "@jest/globals";
import { failure, probed, story, success, warnings } from "../node.js";

const all = { startup: { periodSeconds: 1 }, readiness: { periodSeconds: 2 }, liveness: { periodSeconds: 2 } };
const probes = (lines: readonly string[]) => lines.filter((line) => line.includes("probe"));

describe("a pod that is being stopped", () => {
  test("has readiness probes until its end; its liveness probes stop", async () => {
    const { passes, agent, answer } = await story(probed(all), { stubborn: 7_000 });
    await passes(20_500);
    await agent.delete("web");
    answer(() => failure);
    expect((await passes(6_900)).slice(0, 8)).toEqual([
      "22 probe readiness",
      "24 probe readiness",
      "26 probe readiness",
      // Not ready any more: asked again at once.
      "26 probe readiness",
      "26 running started",
    ]);
    await agent.waitFor(() => agent.api.pods().length === 0);
    expect(warnings(agent).filter((line) => line.includes("Liveness"))).toEqual([]);
  });

  test("leaves no series of metrics behind, and no probe", async () => {
    const { passes, agent } = await story(probed(all));
    await passes(5_000);
    const before = await agent.api.metrics("/metrics/probes");
    expect(before?.body).toContain(
      'prober_probe_total{probe_type="Readiness",container="main",namespace="default",result="successful",pod="web",pod_uid="',
    );
    expect(before?.body).toContain(
      'prober_probe_duration_seconds_count{probe_type="Liveness",container="main",namespace="default",pod="web"} 2',
    );
    await agent.delete("web");
    await agent.waitFor(() => agent.api.pods().length === 0);
    expect((await agent.api.metrics("/metrics/probes"))?.body).not.toContain("web");
    expect((await agent.api.view("probes")).rows).toEqual([]);
  });
});

describe("the grace period of a kill that a probe causes", () => {
  test.each([
    { name: "the pod's own", probe: {}, killed: 7 },
    { name: "the probe's where it has one", probe: { terminationGracePeriodSeconds: 2 }, killed: 2 },
  ])("is $name", async ({ probe, killed }) => {
    const pod = probed(
      { liveness: { periodSeconds: 10, failureThreshold: 1, ...probe } },
      {},
      { spec: { terminationGracePeriodSeconds: 7 } },
    );
    const { passes } = await story(pod, { stubborn: 60_000, answer: (_, at) => (at < 15_000 ? success : failure) });
    expect(await passes(29_000)).toEqual([
      "0 probe liveness",
      "0 running started ready",
      "10 probe liveness",
      "20 probe liveness",
      `${20 + killed} running started ready restarts 1`,
    ]);
  });
});

describe("an agent that is restarted", () => {
  test("leaves a ready container ready and does not repeat its startup probe; its liveness probes continue", async () => {
    const { passes, agent } = await story(probed(all));
    expect(await passes(20_500)).toContain("0 running started ready");
    await agent.restart();
    // The startup worker has no memory of its own: its first answer ends it.
    const lines = await passes(20_000);
    expect(lines.filter((line) => !line.includes("probe"))).toEqual([]);
    expect(probes(lines).filter((line) => line.endsWith("liveness")).length).toBeGreaterThan(8);
    expect(probes(lines).filter((line) => line.endsWith("readiness")).length).toBeGreaterThan(8);
  });

  test("keeps a container not ready that was not, and one that has not started yet", async () => {
    const { passes, agent, answer } = await story(probed({ readiness: { periodSeconds: 5 } }), {
      answer: () => failure,
    });
    await passes(30_000);
    await agent.restart();
    expect((await passes(10_000)).filter((line) => !line.includes("probe"))).toEqual([]);
    answer(() => success);
    expect((await passes(5_000)).filter((line) => !line.includes("probe"))).toEqual([
      expect.stringMatching(/running started ready$/),
    ]);
  });

  test("that became ready a moment ago stays ready, too: nothing waits for a snapshot", async () => {
    const { passes, agent, answer } = await story(probed({ readiness: { periodSeconds: 5 } }), {
      answer: () => failure,
    });
    await passes(30_000);
    answer(() => success);
    await agent.waitFor(() => agent.pod("web").status?.containerStatuses?.[0]?.ready === true);
    await agent.restart();
    answer(() => failure);
    expect((await passes(1)).filter((line) => line.includes("running"))).toEqual([
      expect.stringMatching(/running started ready$/),
    ]);
  });

  test("finds out that a container stopped being ready while there was no agent", async () => {
    const { passes, agent, answer } = await story(probed({ readiness: { periodSeconds: 5, failureThreshold: 2 } }));
    await passes(30_000);
    await agent.restart(() => answer(() => failure));
    const lines = await passes(12_000);
    expect(lines.at(-1)).not.toContain("ready$");
    expect(agent.pod("web").status?.containerStatuses?.[0]).toMatchObject({ ready: false, restartCount: 0 });
  });

  test("spreads its first probes over the period", async () => {
    const { agent } = await story(probed({ liveness: { periodSeconds: 10 } }));
    for (let i = 0; i < 50; i++) await agent.apply(probed({ liveness: { periodSeconds: 10 } }, {}, { name: `p${i}` }));
    await agent.advance(60_000);
    await agent.restart();
    const rows = (await agent.api.view("probes")).rows;
    const now = agent.clock.now();
    const due = rows.map(({ nextAt }) => (Date.parse(String(nextAt)) - now) / 1000).sort((a, b) => a - b);
    expect(due).toHaveLength(51);
    expect(due[0]).toBeGreaterThanOrEqual(0);
    expect(due.at(-1)).toBeLessThanOrEqual(10);
    for (const tenth of [1, 3, 5, 7, 9]) expect(due.filter((at) => at < tenth).length / 51).toBeCloseTo(tenth / 10, 0);
  });
});

import { describe, expect, test } from "@jest/globals";
import { broken, failure, probed, story, success, warnings } from "../node.js";

test("a pod's whole life: startup gates the others, readiness is asked at once after it, liveness failures restart", async () => {
  const { passes, answer, agent } = await story(
    probed({
      startup: { periodSeconds: 2, failureThreshold: 5 },
      readiness: { periodSeconds: 3 },
      liveness: { periodSeconds: 5, failureThreshold: 2 },
    }),
    { answer: (kind, at) => (kind === "startup" && at < 4_000 ? failure : success) },
  );
  expect(await passes(11_000)).toEqual([
    "0 probe startup",
    "0 running",
    "2 probe startup",
    "4 probe startup",
    "4 probe readiness",
    "4 running started ready",
    "5 probe liveness",
    "7 probe readiness",
    "10 probe readiness",
    "10 probe liveness",
  ]);
  answer((kind) => (kind === "liveness" ? failure : success));
  expect(await passes(19_000)).toEqual([
    "13 probe readiness",
    "15 probe liveness",
    "16 probe readiness",
    "19 probe readiness",
    "20 probe liveness",
    "20 running restarts 1",
    // The startup probe kept its phase; the others wait for it.
    "22 probe startup",
    "22 probe readiness",
    "22 running started ready restarts 1",
    "25 probe readiness",
    "25 probe liveness",
    "28 probe readiness",
    "30 probe liveness",
    // The second time there is a back-off.
    "30 waiting restarts 1",
  ]);
  expect(warnings(agent)).toEqual([
    "Warning Unhealthy: Startup probe failed: HTTP probe failed with statuscode: 500",
    "Warning Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500",
    "Normal Killing: Container main failed liveness probe, will be restarted",
  ]);
});

test("ticks count from the coming of the pod, not from the start of the container", async () => {
  const { passes } = await story(probed({ liveness: { periodSeconds: 5 } }), { startDelay: 2_500 });
  expect(await passes(11_000)).toEqual([
    "0 waiting",
    "2.5 running started ready",
    "5 probe liveness",
    "10 probe liveness",
  ]);
});

test("the initial delay counts from the start of the container, in whole seconds", async () => {
  const { passes } = await story(probed({ liveness: { periodSeconds: 3, initialDelaySeconds: 5 } }), {
    startDelay: 1_500,
  });
  // At 6 the container is 4.5 s old.
  expect((await passes(12_500)).filter((line) => line.includes("probe"))).toEqual([
    "9 probe liveness",
    "12 probe liveness",
  ]);
});

test("readiness changes only after as many equal results as its thresholds require", async () => {
  const flaky = [0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1];
  let asked = 0;
  const { passes } = await story(
    probed({ readiness: { periodSeconds: 1, successThreshold: 2, failureThreshold: 3 } }),
    {
      answer: () => (flaky[asked++] === 1 ? success : failure),
    },
  );
  expect((await passes(12_400)).filter((line) => !line.includes("probe"))).toEqual([
    "0 running started",
    "2 running started ready",
    "8 running started",
    // A container that has just become not ready is asked again at once: two probes at 8.
    "11 running started ready",
  ]);
});

describe("a startup probe that fails", () => {
  test("restarts the container when its threshold is reached, and starts again", async () => {
    const { passes, agent } = await story(probed({ startup: { periodSeconds: 2, failureThreshold: 3 } }), {
      answer: (_, at) => (at < 9_000 ? failure : success),
    });
    expect(await passes(13_000)).toEqual([
      "0 probe startup",
      "0 running",
      "2 probe startup",
      "4 probe startup",
      "4 running restarts 1",
      "6 probe startup",
      "8 probe startup",
      "10 probe startup",
      "10 running started ready restarts 1",
    ]);
    expect(warnings(agent)).toContain("Normal Killing: Container main failed startup probe, will be restarted");
  });

  test("kills for good where the restart policy is Never", async () => {
    const pod = probed(
      { startup: { periodSeconds: 2, failureThreshold: 1 } },
      {},
      { spec: { restartPolicy: "Never" } },
    );
    const { passes, agent } = await story(pod, { answer: () => failure });
    expect(await passes(30_000)).toEqual(["0 probe startup", "0 terminated"]);
    expect(agent.pod("web").status?.phase).toBe("Failed");
    expect(warnings(agent)).toContain("Normal Killing: Container main failed startup probe");
  });
});

test("an attempt that ends with an error is made three times, then thrown away: nothing changes", async () => {
  const { passes, agent, answer } = await story(probed({ liveness: { periodSeconds: 10, failureThreshold: 1 } }));
  await passes(5_000);
  answer(() => broken);
  expect(await passes(20_000)).toEqual([
    ...Array.from({ length: 3 }, () => "10 probe liveness"),
    ...Array.from({ length: 3 }, () => "20 probe liveness"),
  ]);
  expect(warnings(agent)).toEqual([
    "Warning Unhealthy: Liveness probe errored and resulted in unknown state: connection gone",
  ]);
});

test("a warning counts as success and is reported", async () => {
  const { passes, agent } = await story(probed({ readiness: {} }), {
    answer: () => ({ result: "warning", output: "Probe terminated redirects, Response body: moved" }),
  });
  expect(await passes(1_000)).toContain("0 running started ready");
  expect(warnings(agent)).toEqual([
    "Warning ProbeWarning: Readiness probe warning: Probe terminated redirects, Response body: moved",
  ]);
});

test("a probe that takes longer than its period leaves the ticks out that it missed", async () => {
  const { passes, agent, answer } = await story(probed({ liveness: { periodSeconds: 2 } }));
  await passes(1_000);
  answer(async () => {
    await new Promise<void>((resolve) => agent.clock.schedule(5_000, resolve));
    return success;
  });
  expect((await passes(14_000)).filter((line) => line.includes("probe"))).toEqual([
    "2 probe liveness",
    "7 probe liveness",
    "12 probe liveness",
  ]);
});

test("a sidecar is probed like a main container, a plain init container not at all", async () => {
  const readinessProbe = { httpGet: { path: "/sidecar", port: 80 } };
  const pod = probed({ readiness: {} }, {}, {});
  const sidecar = { name: "proxy", image: "app:1", restartPolicy: "Always", readinessProbe };
  const { passes, agent } = await story({ ...pod, spec: { ...pod.spec, initContainers: [sidecar] } } as typeof pod, {
    answer: (kind) => (kind === "sidecar" ? failure : success),
  });
  await passes(5_000);
  const { status } = agent.pod("web");
  expect(status?.initContainerStatuses?.[0]).toMatchObject({ name: "proxy", ready: false, started: true });
  expect(status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("False");
});

/** Metrics that tell of what happens to pods and to the agent itself. */
import { afterEach, expect, test } from "@jest/globals";
import { aContainer, aPod, startTestAgent, type TestAgent } from "../../../../testkit/src/index.js";
import type { PodSource, SourceSink } from "../../../src/host.js";

const agents: TestAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop();
});

async function started(
  sources: readonly PodSource[] = [],
): Promise<{ agent: TestAgent; value(sample: string): Promise<number | undefined> }> {
  const agent = await startTestAgent({ sources });
  agents.push(agent);
  const value = async (sample: string): Promise<number | undefined> => {
    const { body = "" } = (await agent.api.metrics("/metrics")) ?? {};
    const line = body.split("\n").find((one) => one.startsWith(`${sample} `));
    return line === undefined ? undefined : Number(line.slice(sample.length + 1));
  };
  return { agent, value };
}

const slow = aPod({
  name: "slow",
  containers: [aContainer({ lifecycle: { preStop: { sleep: { seconds: 60 } } } })],
  spec: { terminationGracePeriodSeconds: 10 },
} as never);

test("a sleep that outlasts the grace period is counted as terminated early", async () => {
  const { agent, value } = await started();
  await agent.apply(slow);
  await agent.waitFor(() => agent.pod("slow").status?.phase === "Running");
  await agent.delete("slow");
  await agent.advance(30_000);
  expect(await value("kubelet_sleep_action_terminated_early_total")).toBe(1);
});

test("a pod that comes back under its uid while it goes is counted as restarted, once", async () => {
  let sink: SourceSink | undefined;
  const source: PodSource = {
    name: "folder",
    start: async (given) => {
      sink = given;
      given.desired([slow]);
    },
    stop: async () => undefined,
  };
  const { agent, value } = await started([source]);
  await agent.waitFor(() => agent.pod("slow").status?.phase === "Running");
  sink?.desired([]);
  await agent.advance(1_000);
  for (let again = 0; again < 2; again++) {
    sink?.desired([slow]);
    await agent.advance(1_000);
  }
  expect(await value('kubelet_restarted_pods_total{static=""}')).toBe(1);
  await agent.advance(60_000);
  await agent.waitFor(() => agent.pod("slow").status?.phase === "Running");
  expect(await value('kubelet_restarted_pods_total{static=""}')).toBe(1);
});

test("relists are reported with the time between them, and the time of the last one", async () => {
  const { agent, value } = await started();
  await agent.advance(900_000);
  const count = (await value("kubelet_pleg_relist_interval_seconds_count")) ?? 0;
  expect(count).toBeGreaterThan(0);
  const sum = (await value("kubelet_pleg_relist_interval_seconds_sum")) ?? 0;
  expect(sum).toBeLessThanOrEqual(900);
  const seen = (await value("kubelet_pleg_last_seen_seconds")) ?? 0;
  expect(agent.clock.now() / 1000 - seen).toBeLessThanOrEqual(300);
});

test("the start of a pod is counted once, when its last container runs, in seconds from when it was taken", async () => {
  const { agent, value } = await started();
  agent.runtime.script({ container: "init" }, (process) => process.after(5_000, () => process.exit(0)));
  const containers = [aContainer({ name: "a" }), aContainer({ name: "b" })];
  await agent.apply(
    aPod({ name: "two", containers, spec: { initContainers: [aContainer({ name: "init" })] } } as never),
  );
  await agent.advance(4_000);
  expect(await value("kubelet_pod_start_duration_seconds_count")).toBe(0);
  await agent.waitFor(() => agent.pod("two").status?.phase === "Running");
  await agent.advance(60_000);
  expect(await value("kubelet_pod_start_duration_seconds_count")).toBe(1);
  const sum = (await value("kubelet_pod_start_duration_seconds_sum")) ?? 0;
  expect(sum).toBeGreaterThanOrEqual(5);
  expect(sum).toBeLessThan(60);
});

test("a pod that is refused is counted by its reason, each once", async () => {
  const { agent, value } = await started();
  const huge = (name: string) =>
    aPod({ name, containers: [aContainer({ resources: { requests: { cpu: "100000" } } })] } as never);
  for (const name of ["one", "two"]) await agent.apply(huge(name));
  await agent.waitFor(() => agent.pod("two").status?.phase === "Failed");
  await agent.advance(60_000);
  expect(await value('kubelet_admission_rejections_total{reason="OutOfcpu"}')).toBe(2);
});

test("each end of a container is counted once, by its kind, exit code and reason, and not again by the next agent", async () => {
  const { agent, value } = await started();
  const job = aPod({ name: "job", initContainers: [{ name: "setup" }], spec: { restartPolicy: "OnFailure" } });
  await agent.apply(job);
  await agent.waitFor(() => agent.runtime.running("job").length === 1);
  agent.runtime.exit("job", "setup", 0);
  for (const code of [139, 139, 0]) {
    await agent.waitFor(() => agent.runtime.running("job").includes("main"));
    agent.runtime.exit("job", "main", code);
    await agent.advance(1_000);
  }
  const ends = async (labels: string) => value(`kubelet_terminated_containers_total{${labels}}`);
  const init = 'container_type="init_container",exit_code="0",reason="Completed"';
  const crashed = 'container_type="container",exit_code="139",reason="Error"';
  const done = 'container_type="container",exit_code="0",reason="Completed"';
  expect([await ends(init), await ends(crashed), await ends(done)]).toEqual([1, 2, 1]);
  await agent.restart();
  await agent.advance(1_000);
  expect([await ends(init), await ends(crashed), await ends(done)]).toEqual([undefined, undefined, undefined]);
});

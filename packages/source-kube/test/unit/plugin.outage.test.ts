/** An API server that is away for an hour, in virtual time: pods run on, and everything is reported afterwards, soon and in order. */
import { aContainer, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { createKubePlugin } from "../../src/plugin.js";
import { FakeCluster } from "../fake-cluster.js";

let cluster: FakeCluster;
let agent: TestAgent;

type Status = { phase?: string; conditions?: { type: string; status: string }[]; containerStatuses?: unknown };
const statusOf = (name: string): Status => (cluster.pod(name)?.status ?? {}) as Status;
const ready = (name: string) => statusOf(name).conditions?.find(({ type }) => type === "Ready")?.status === "True";
const spec = (more: object = {}) => ({
  containers: [aContainer({ name: "main", image: "web:1" })],
  terminationGracePeriodSeconds: 2,
  ...more,
});
const HOUR = 3_600_000;

beforeEach(async () => {
  cluster = new FakeCluster();
  const plugin = createKubePlugin({ random: () => 0.5, clients: cluster.clients });
  agent = await startTestAgent({ plugins: [[plugin, { kubeconfig: "/unused" }]] });
});

function leave(): void {
  cluster.down = true;
  cluster.cut();
}

test("after an hour all watches and statuses are back within ten seconds, not each after its own back-off", async () => {
  const volumes = [{ name: "v", configMap: { name: "settings" } }];
  for (const name of ["web", "job", "fed"]) {
    cluster.addPod(
      name,
      spec({ ...(name === "job" && { restartPolicy: "Never" }), ...(name === "fed" && { volumes }) }),
    );
  }
  await agent.waitFor(() => ready("web") && ready("job"));
  leave();
  await agent.advance(HOUR / 2);
  agent.runtime.exit("job", "main", 0);
  await agent.advance(HOUR / 2 + 1_234);
  cluster.addPod("late", spec());
  cluster.askToGo("web", 2);
  cluster.down = false;
  const began = agent.clock.monotonic();
  await agent.waitFor(() => statusOf("job").phase === "Succeeded" && ready("late"), 10_000);
  await agent.waitFor(() => cluster.pod("web") === undefined, 15_000);
  expect(agent.clock.monotonic() - began).toBeLessThan(15_000);
});

test("restarts continue meanwhile, the API gets the last state alone, once for each pod, and all events in order", async () => {
  for (const name of ["a", "b"]) cluster.addPod(name, spec());
  await agent.waitFor(() => ready("a") && ready("b"));
  leave();
  for (let times = 0; times < 3; times += 1) {
    agent.runtime.exit("a", "main", 1);
    await agent.advance(HOUR / 3);
  }
  const from = cluster.requests.length;
  cluster.down = false;
  await agent.advance(20_000);
  const patches = cluster.requests.slice(from).filter(({ path }) => path.endsWith("/pods/a/status"));
  expect(patches).toHaveLength(1);
  expect(statusOf("a").containerStatuses).toMatchObject([{ restartCount: 3, ready: true }]);
  expect(cluster.requests.slice(from).filter(({ path }) => path.endsWith("/pods/b/status"))).toEqual([]);
  const starts = cluster
    .events()
    .filter(({ involvedObject, reason }) => (involvedObject as { name: string }).name === "a" && reason === "Started")
    .map(({ count }) => Number(count ?? 1));
  expect(starts.reduce((sum, count) => sum + count, 0)).toBe(4);
  expect((await agent.runtime.listSandboxes()).length).toBe(2);
});

test("a momentary outage wakes no request: one kind of request that fails alone keeps its own back-off", async () => {
  cluster.addPod("web", spec());
  await agent.waitFor(() => ready("web"));
  const streams = () => cluster.asked.filter((path) => path === "/api/v1/pods").length;
  const before = streams();
  cluster.refuses = (path) => path === "/api/v1/pods";
  cluster.cut();
  await agent.advance(120_000);
  expect(streams() - before).toBeLessThan(9);
});

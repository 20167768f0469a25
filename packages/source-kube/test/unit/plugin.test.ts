/** Deletions that others make hard: conflicts, finalizers, a name that is used again. Virtual time. */
import { aContainer, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { createKubePlugin } from "../../src/plugin.js";
import { FakeCluster } from "../fake-cluster.js";

const PODS = "/api/v1/namespaces/default/pods";
let cluster: FakeCluster;
let agent: TestAgent;

beforeEach(async () => {
  cluster = new FakeCluster();
  const plugin = createKubePlugin({ random: () => 0.5, clients: cluster.clients });
  agent = await startTestAgent({ plugins: [[plugin, { kubeconfig: "/unused" }]] });
});

const spec = {
  containers: [aContainer({ name: "main", image: "web:1" })],
  restartPolicy: "Never",
  terminationGracePeriodSeconds: 5,
};
const phase = (name = "web") => (cluster.pod(name)?.status as { phase?: string } | undefined)?.phase;
const deletions = () => cluster.requests.filter(({ method }) => method === "DELETE").length;
const running = async () => (await agent.runtime.listContainers()).filter(({ state }) => state === "CONTAINER_RUNNING");

test.each([1, 5])(
  "a last status that the server drops %d times is sent again, and the pod is removed",
  async (conflicts) => {
    cluster.addPod("web", spec);
    await agent.waitFor(() => phase() === "Running");
    await agent.advance(5_000);
    cluster.conflicts = conflicts;
    cluster.askToGo("web", 3);
    await agent.waitFor(() => cluster.pod("web") === undefined, 120_000);
    expect(cluster.conflicts).toBe(0);
  },
);

test("a pod with a finalizer is stopped, reported as ended and not started again, whatever its controller writes; it is removed with the finalizer", async () => {
  cluster.addPod("web", spec, { finalizers: ["x.io/keep"] });
  await agent.waitFor(() => phase() === "Running");
  cluster.askToGo("web", 3);
  await agent.waitFor(() => deletions() > 0, 30_000);
  for (const look of ["1", "2"]) {
    const pod = cluster.pod("web");
    cluster.put(PODS, { ...pod, metadata: { ...pod?.metadata, name: "web", annotations: { look } } });
    await agent.advance(60_000);
  }
  expect({ phase: phase(), running: await running() }).toEqual({ phase: "Failed", running: [] });
  expect(deletions()).toBe(1);
  await agent.restart();
  await agent.advance(60_000);
  expect({ phase: phase(), running: await running() }).toEqual({ phase: "Failed", running: [] });
  cluster.remove(PODS, "web");
  await agent.advance(1_000);
  expect(agent.api.pods()).toEqual([]);
});

test("a name that another pod uses at the moment of the old one's end: each has its own status, and reports end", async () => {
  cluster.addPod("web", spec);
  await agent.waitFor(() => phase() === "Running");
  const old = cluster.pod("web")?.metadata.uid;
  agent.runtime.exit("web", "main", 1);
  cluster.remove(PODS, "web");
  const fresh = cluster.addPod("web", spec);
  await agent.waitFor(() => phase() === "Running", 30_000);
  const writes = cluster.requests.length;
  await agent.advance(30_000);
  const since = cluster.requests.slice(writes).filter(({ path }) => path.startsWith(PODS));
  expect([fresh.metadata.uid === old, since]).toEqual([false, []]);
});

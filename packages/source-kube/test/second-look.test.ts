/** Labels of the node that the scheduler saw and the agent's watch has not brought yet, in virtual time. */
import { aContainer, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { createKubePlugin } from "../src/plugin.js";
import { FakeCluster } from "./fake-cluster.js";

let cluster: FakeCluster;
let agent: TestAgent;

beforeEach(async () => {
  cluster = new FakeCluster();
  const plugin = createKubePlugin({ random: () => 0.5, clients: cluster.clients });
  agent = await startTestAgent({ plugins: [[plugin, { kubeconfig: "/unused" }]] });
  await agent.waitFor(() => node() !== undefined, 60_000);
});

const node = () => [...cluster.objects].find(([key]) => key.startsWith("/api/v1/nodes/"));
const spec = { nodeSelector: { disk: "fast" }, containers: [aContainer({ name: "main", image: "web:1" })] };
const phase = (name: string) => (cluster.pod(name)?.status as { phase?: string } | undefined)?.phase;

/** Nobody who watches is told. */
function label(): void {
  const [key, stored] = node() ?? [];
  if (key === undefined || stored === undefined) throw new Error("there is no node");
  const labels = { ...(stored.metadata.labels as object), disk: "fast" };
  cluster.objects.set(key, { ...stored, metadata: { ...stored.metadata, labels } });
}

test("a pod that only a label not yet seen lets in is admitted: the node is looked at again", async () => {
  label();
  cluster.addPod("web", spec);
  await agent.waitFor(() => phase("web") === "Running", 60_000);
});

test("a pod that the node's labels keep out then as well is refused", async () => {
  cluster.addPod("web", spec);
  await agent.waitFor(() => phase("web") === "Failed", 60_000);
  expect(cluster.pod("web")?.status).toMatchObject({ reason: "NodeAffinity" });
});

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
const restarts = (name: string) =>
  (cluster.pod(name)?.status as { containerStatuses?: { restartCount: number }[] } | undefined)?.containerStatuses?.[0]
    ?.restartCount ?? 0;
const looks = () => cluster.requests.filter(({ method, path }) => method === "GET" && path === node()?.[0]).length;

/** Nobody who watches is told. */
function label(disk = "fast"): void {
  const [key, stored] = node() ?? [];
  if (key === undefined || stored === undefined) throw new Error("there is no node");
  const labels = { ...(stored.metadata.labels as object), disk };
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

test("a pod that was here before a restart is not asked for its labels, though it waits to be started again: no look", async () => {
  label();
  agent.runtime.script({ container: "main" }, (process) => process.after(1_000, () => process.exit(3)));
  cluster.addPod("web", spec);
  await agent.waitFor(() => restarts("web") >= 1, 60_000);
  await agent.advance(2_000);
  await agent.restart(() => label("slow"));
  const [before, count] = [looks(), restarts("web")];
  await agent.waitFor(() => restarts("web") > count, 120_000);
  expect({ phase: phase("web"), looks: looks() - before }).toEqual({ phase: "Running", looks: 0 });
});

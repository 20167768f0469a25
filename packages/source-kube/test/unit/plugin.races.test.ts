/** Changes of a pod in the API that come while the agent is about to end it, in virtual time. */
import { definePlugin, type PodsPort } from "@hooklet/core";
import { aContainer, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { createKubePlugin } from "../../src/plugin.js";
import { FakeCluster } from "../fake-cluster.js";

let cluster: FakeCluster;
let agent: TestAgent;
let pods: PodsPort;

const POD = "/api/v1/namespaces/default/pods";
type Status = { phase?: string; reason?: string; conditions?: { type: string; status: string }[] };
const statusOf = (name: string): Status => (cluster.pod(name)?.status ?? {}) as Status;
const ready = (name: string) => statusOf(name).conditions?.find(({ type }) => type === "Ready")?.status === "True";

beforeEach(async () => {
  cluster = new FakeCluster();
  const hold = definePlugin({
    meta: { name: "hold", api: 1 },
    start(ctx) {
      pods = ctx.pods;
    },
  });
  agent = await startTestAgent({
    plugins: [[createKubePlugin({ random: () => 0.5, clients: cluster.clients }), { kubeconfig: "/unused" }], hold],
  });
  // It takes its time to stop.
  agent.runtime.script({ pod: "web", container: "main" }, (process) =>
    process.onTerm(() => process.after(15_000, () => process.exit(0))),
  );
  const main = aContainer({ name: "main", image: "web:1" });
  cluster.addPod("web", { containers: [main], terminationGracePeriodSeconds: 20 });
  await agent.waitFor(() => ready("web"));
});

/** As `kubectl edit`: a spec that a running pod may get. */
function change(more: object, metadata: object = {}): void {
  const pod = cluster.pod("web");
  cluster.put(POD, {
    ...pod,
    metadata: { ...pod?.metadata, ...metadata, name: "web", generation: 2 },
    spec: { ...pod?.spec, ...more },
  });
}

const evict = () => pods.evict(cluster.pod("web")?.metadata.uid ?? "", { reason: "Evicted", message: "no room" });
const other = { containers: [aContainer({ name: "main", image: "web:2" })] };

test.each([
  { name: "another image", how: () => change(other) },
  { name: "another toleration", how: () => change({ tolerations: [{ key: "x", operator: "Exists" }] }) },
  { name: "another label", how: () => change({}, { labels: { a: "b" } }) },
])("$name for a pod that is being evicted neither runs it again nor changes its end", async ({ how }) => {
  const evicted = evict();
  await agent.advance(10);
  how();
  await agent.waitFor(() => statusOf("web").phase === "Failed", 60_000);
  await evicted;
  await agent.advance(120_000);
  expect(statusOf("web")).toMatchObject({ phase: "Failed", reason: "Evicted" });
  expect(agent.runtime.running("web")).toEqual([]);
});

test("a deletion of a pod that is being evicted ends both, and the object goes", async () => {
  const evicted = evict();
  await agent.advance(10);
  cluster.askToGo("web", 30);
  await agent.waitFor(() => cluster.pod("web") === undefined, 60_000);
  await evicted;
  const [deletion, ...more] = cluster.requests.filter(({ method }) => method === "DELETE");
  expect([deletion?.path, more]).toEqual([`${POD}/web`, []]);
  await agent.waitFor(() => agent.api.pods().length === 0);
});

test("an eviction of a pod that is being deleted changes nothing of its deletion", async () => {
  cluster.askToGo("web", 20);
  await agent.advance(10);
  const evicted = evict();
  await agent.waitFor(() => cluster.pod("web") === undefined, 60_000);
  await evicted;
  const reasons = cluster.requests
    .filter(({ path }) => path.endsWith("/status"))
    .map(({ body }) => (body as { status?: Status }).status?.reason);
  expect(reasons).not.toContain("Evicted");
});

test.each([
  {
    name: "has ended",
    end: async () => {
      const evicted = evict();
      await agent.waitFor(() => statusOf("web").phase === "Failed", 60_000);
      await evicted;
    },
  },
  {
    name: "is being evicted",
    end: async () => {
      void evict();
      await agent.advance(10);
    },
  },
])("another spec in a whole list of a pod that $name does not run it again", async ({ end }) => {
  await end();
  cluster.down = true;
  cluster.cut();
  await agent.advance(1_000);
  change(other);
  cluster.down = false;
  await agent.advance(180_000);
  expect(statusOf("web")).toMatchObject({ phase: "Failed", reason: "Evicted" });
  expect(agent.runtime.running("web")).toEqual([]);
});

test("a pod that vanishes from the API while it is being evicted is forgotten once it has ended, and nothing is written of it", async () => {
  const evicted = evict();
  await agent.advance(10);
  const from = cluster.requests.length;
  cluster.remove(POD, "web");
  await agent.waitFor(() => agent.api.pods().length === 0, 60_000);
  await evicted;
  const writes = cluster.requests.slice(from).filter(({ method, path }) => method !== "PUT" && path.startsWith(POD));
  expect(writes).toEqual([]);
});

test("a pod of the same name comes in place of one that is being evicted only when that has ended", async () => {
  void evict();
  await agent.advance(10);
  cluster.remove(POD, "web");
  const fresh = cluster.addPod("web", other);
  await agent.waitFor(() => ready("web"), 60_000);
  const uids = (await agent.runtime.listSandboxes()).map(({ metadata }) => metadata.uid);
  expect(uids).toEqual([fresh.metadata.uid]);
});

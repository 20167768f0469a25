/** An agent that was frozen or cut off for so long that another one of its name has the node, in virtual time. */
import type { Pod } from "@hooklet/core";
import type { PodSource, SourceSink } from "@hooklet/core/host";
import { aContainer, aPod, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { createKubePlugin } from "../../src/plugin.js";
import { FakeCluster } from "../fake-cluster.js";

const PODS = "/api/v1/namespaces/default/pods";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const AGENT = "hooklet.dev/agent";

let cluster: FakeCluster;
let agent: TestAgent;
/** Renewals of the other agent. */
let renewals: number;
let node: { name: string };

beforeEach(async () => {
  [cluster, renewals, node] = [new FakeCluster(), 0, { name: "node1" }];
  const plugin = createKubePlugin({ random: () => 0.5, clients: cluster.clients });
  agent = await startTestAgent({ node, plugins: [[plugin, { kubeconfig: "/unused" }]], sources: [manifests] });
  bind("web");
  bind("job", { restartPolicy: "Never" });
  await agent.waitFor(() => ["web", "job", "static-node1"].every(isReady), 60_000);
});

type Status = { phase?: string; podIP?: string; conditions?: { type: string; status: string }[] };
const statusOf = (name: string): Status => (cluster.pod(name)?.status ?? {}) as Status;
const isReady = (name: string) => statusOf(name).conditions?.find(({ type }) => type === "Ready")?.status === "True";
const holder = () => (cluster.objects.get(`${LEASES}/node1`)?.metadata.annotations as Record<string, string>)?.[AGENT];

function bind(name: string, more: object = {}): void {
  const containers = [aContainer({ name: "main", image: "web:1" })];
  cluster.addPod(name, { containers, terminationGracePeriodSeconds: 5, ...more });
}

/** A pod that is none of the cluster's. */
const manifests: PodSource = {
  name: "manifests",
  start: async (sink: SourceSink) => {
    const pod = aPod({ name: "static-node1", uid: "s", containers: [{ name: "main", image: "web:1" }] });
    const annotations = { "kubernetes.io/config.source": "file", "kubernetes.io/config.hash": "s" };
    const spec = { ...pod.spec, nodeName: "node1" };
    sink.desired([{ ...pod, metadata: { ...pod.metadata, annotations }, spec } as Pod]);
  },
  stop: async () => undefined,
};

/** The other one writes the lease. */
function renew(): void {
  const { name } = node;
  const lease = cluster.objects.get(`${LEASES}/${name}`);
  renewals += 1;
  const renewTime = `2026-01-01T00:00:00.${String(renewals).padStart(6, "0")}Z`;
  const metadata = { ...lease?.metadata, name, annotations: { [AGENT]: "b" } };
  cluster.put(LEASES, { ...lease, metadata, spec: { ...lease?.spec, renewTime } });
}

/** The other one says of a pod what its own copy does. */
function says(name: string, status: object): void {
  const pod = cluster.pod(name);
  cluster.put(PODS, { ...pod, metadata: { ...pod?.metadata, name }, status: { ...pod?.status, ...status } });
}

/** Out of reach for longer than the lease lasts: another agent has the node when this one is back. */
async function takenOver(): Promise<void> {
  cluster.down = true;
  cluster.cut();
  await agent.advance(50_000);
  renew();
  cluster.down = false;
}

async function renewing(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    await agent.advance(10_000);
    renew();
  }
}

const running = async () => (await agent.runtime.listSandboxes()).map(({ metadata }) => metadata.name).sort();
const containers = async () => (await agent.runtime.listContainers()).map(({ id }) => id).sort();

/** What the agent does from here on that is more than reading. */
function watched(): () => readonly string[] {
  const from = cluster.requests.length;
  return () => {
    const since = cluster.requests.slice(from).filter(({ method }) => method !== "GET");
    return since.map(({ method, path }) => `${method} ${path}`);
  };
}

test("once the other agent is seen alive this one reports that and ends its copies of the cluster's pods, without reporting or deleting them; static pods keep running", async () => {
  await takenOver();
  says("web", { podIP: "192.0.2.99" });
  const mirror = cluster.pod("static-node1")?.metadata.uid;
  const written = watched();
  await renewing(330);
  expect(await running()).toEqual(["static-node1"]);
  expect(written()).toEqual(["POST /api/v1/namespaces/default/events"]);
  const ousted = cluster.events().filter(({ reason }) => reason === "NodeTakenOver");
  expect(ousted).toEqual([
    expect.objectContaining({
      type: "Warning",
      message:
        "another agent (b) has node node1, and renews its lease: the pods of the cluster that run here are ended; stop one of the two, or give it another node.name",
    }),
  ]);
  expect([statusOf("web").podIP, isReady("web"), cluster.pod("static-node1")?.metadata.uid]).toEqual([
    "192.0.2.99",
    true,
    mirror,
  ]);
  expect(agent.api.pods().map(({ metadata }) => metadata.name)).toEqual(["static-node1"]);
});

test("it starts no pod that is bound meanwhile; with the other one silent it has the node again, runs what is to run, and nothing that has ended", async () => {
  await takenOver();
  await renewing(30);
  bind("late");
  says("job", { phase: "Succeeded" });
  cluster.remove(PODS, "web");
  await renewing(30);
  expect(await running()).toEqual(["static-node1"]);
  await agent.waitFor(() => isReady("late"), 120_000);
  await agent.advance(30_000);
  expect([await running(), statusOf("job").phase, holder() === "b"]).toEqual([
    ["late", "static-node1"],
    "Succeeded",
    false,
  ]);
});

test("a pod that runs again after the other one ended starts again, under its own uid", async () => {
  const before = await containers();
  await takenOver();
  await renewing(30);
  await agent.waitFor(() => holder() !== "b", 120_000);
  await agent.advance(30_000);
  expect(await running()).toEqual(["job", "static-node1", "web"]);
  const after = await containers();
  expect([after.length, after.filter((id) => before.includes(id)).length]).toEqual([3, 1]);
  expect(isReady("web")).toBe(true);
});

test("until it is known whether the other one lives pods keep running, and nothing is reported, started or deleted; all of it is made good with the node", async () => {
  const before = await containers();
  await takenOver();
  const written = watched();
  await agent.advance(3_000);
  agent.runtime.exit("job", "main", 0);
  bind("late");
  cluster.askToGo("web", 3);
  await agent.advance(30_000);
  expect([written(), holder(), (await containers()).length]).toEqual([[], "b", before.length]);
  await agent.waitFor(() => isReady("late") && cluster.pod("web") === undefined, 60_000);
  expect([statusOf("job").phase, await running()]).toEqual(["Succeeded", ["job", "late", "static-node1"]]);
  expect(written()).toContain(`DELETE ${PODS}/web`);
});

test("an agent that is started again while another one has its node ends what its last life left", async () => {
  await agent.restart(() => renew());
  await renewing(60);
  expect(await running()).toEqual(["static-node1"]);
});

test("an agent that was not silent ends no pod for one that has taken its lease, not after a restart either", async () => {
  const before = await containers();
  renew();
  await renewing(60);
  expect(await containers()).toEqual(before);
  await agent.restart();
  await renewing(120);
  expect(await containers()).toEqual(before);
});

test("an agent that is restarted under another name ends nothing for the one that has that name", async () => {
  const before = await containers();
  await agent.restart(() => {
    node.name = "node2";
    Object.assign(agent.parts.node ?? {}, node);
    renew();
  });
  await renewing(120);
  expect(agent.log.map(({ msg }) => msg)).toContainEqual(
    expect.stringMatching(/^claim .* node node2 is held by another/),
  );
  expect(await containers()).toEqual(before);
});

test("a pod's changes while the owner of the node was unknown are reported as the state then, without earlier ones", async () => {
  await takenOver();
  await agent.advance(3_000);
  agent.runtime.exit("web", "main", 1);
  await agent.advance(32_000);
  const from = cluster.requests.length;
  agent.runtime.exit("web", "main", 1);
  const statuses = () => cluster.requests.slice(from).filter(({ path }) => path === `${PODS}/web/status`);
  await agent.waitFor(() => statuses().length > 0, 9_000);
  expect(statuses()[0]?.body).toMatchObject({
    status: { containerStatuses: [{ restartCount: 1, ready: false, state: { waiting: {} } }] },
  });
});

test("whose lease could not be renewed for its whole duration reports nothing until it has read it, and everything then", async () => {
  cluster.refuses = (path) => path.includes("/leases");
  await agent.advance(20_000);
  agent.runtime.exit("web", "main", 1);
  const restarts = () => (statusOf("web") as { containerStatuses?: { restartCount: number }[] }).containerStatuses?.[0];
  await agent.waitFor(() => restarts()?.restartCount === 1 && isReady("web"), 15_000);
  await agent.advance(30_000);
  const written = watched();
  bind("late");
  agent.runtime.exit("job", "main", 0);
  await agent.advance(30_000);
  expect(written().filter((one) => one.startsWith("PATCH"))).toEqual([]);
  expect(await running()).not.toContain("late");
  cluster.refuses = () => false;
  await agent.waitFor(() => statusOf("job").phase === "Succeeded" && isReady("late"), 30_000);
});

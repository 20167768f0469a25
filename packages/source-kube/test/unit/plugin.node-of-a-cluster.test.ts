/** The whole agent as a node of a cluster, in virtual time. */
import type { Pod } from "@hooklet/core";
import type { PodSource, SourceSink } from "@hooklet/core/host";
import { aContainer, aPod, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { createKubePlugin } from "../../src/plugin.js";
import { FakeCluster } from "../fake-cluster.js";

let cluster: FakeCluster;
let agent: TestAgent;

const NODE = "/api/v1/nodes/node1";
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node1";

beforeEach(() => {
  cluster = new FakeCluster();
});

async function start(sources: readonly PodSource[] = []): Promise<void> {
  const plugin = createKubePlugin({ random: () => 0.5, clients: cluster.clients });
  agent = await startTestAgent({ plugins: [[plugin, { kubeconfig: "/unused" }]], sources });
}

/** A manifest folder, as far as the agent sees it. */
class ManualSource implements PodSource {
  readonly name = "manifests";
  #sink: SourceSink | undefined;

  async start(sink: SourceSink): Promise<void> {
    this.#sink = sink;
    sink.desired([]);
  }

  deliver(pods: readonly Pod[]): void {
    this.#sink?.desired(pods);
  }

  async stop(): Promise<void> {}
}

type Status = {
  phase?: string;
  reason?: string;
  conditions?: { type: string; status: string }[];
  [key: string]: unknown;
};
const statusOf = (name: string): Status => (cluster.pod(name)?.status ?? {}) as Status;
const ready = (name: string) => statusOf(name).conditions?.find(({ type }) => type === "Ready")?.status;
const spec = (more: object = {}) => ({
  containers: [aContainer({ name: "main", image: "web:1" })],
  terminationGracePeriodSeconds: 5,
  ...more,
});
const requests = (method: string, path: RegExp) =>
  cluster.requests.filter((one) => one.method === method && path.test(one.path));

test("the node is registered at once, reported Ready, and holds a lease", async () => {
  await start();
  await agent.waitFor(() => cluster.objects.has(NODE) && cluster.objects.has(LEASE), 5_000);
  const node = cluster.objects.get(NODE);
  expect(node?.metadata.labels).toMatchObject({ "kubernetes.io/hostname": "node1" });
  const conditions = node?.status?.conditions as { type: string; status: string }[];
  expect(conditions.map(({ type, status }) => `${type} ${status}`)).toEqual([
    "MemoryPressure False",
    "DiskPressure False",
    "PIDPressure False",
    "Ready True",
  ]);
  expect(cluster.objects.get(LEASE)?.spec).toMatchObject({ holderIdentity: "node1", leaseDurationSeconds: 40 });
  await agent.advance(60_000);
  expect(requests("PUT", /leases/).length).toBeGreaterThanOrEqual(5);
  expect(cluster.objects.get(LEASE)?.metadata.ownerReferences).toMatchObject([
    { kind: "Node", uid: node?.metadata.uid },
  ]);
});

test("while nothing changes the node's status is reported every five minutes, not more", async () => {
  await start();
  await agent.advance(30_000);
  const before = requests("PATCH", /nodes\/node1\/status/).length;
  await agent.advance(295_000);
  expect(requests("PATCH", /nodes\/node1\/status/).length - before).toBeLessThanOrEqual(1);
});

test("a pod that is bound to the node runs, its status comes to the API, and nothing is written twice", async () => {
  await start();
  cluster.addPod("web", spec());
  await agent.waitFor(() => ready("web") === "True");
  expect(statusOf("web")).toMatchObject({
    phase: "Running",
    qosClass: "BestEffort",
    observedGeneration: 1,
    hostIPs: [{ ip: statusOf("web").hostIP }],
  });
  const writes = requests("PATCH", /pods\/web\/status/).length;
  await agent.advance(60_000);
  expect(requests("PATCH", /pods\/web\/status/)).toHaveLength(writes);
  expect(requests("GET", /pods/)).toEqual([]);
});

test("a deleted pod is stopped, reported as ended, and only then removed from the API", async () => {
  await start();
  cluster.addPod("web", spec());
  await agent.waitFor(() => ready("web") === "True");
  const uid = cluster.pod("web")?.metadata.uid;
  cluster.askToGo("web", 3);
  await agent.waitFor(() => cluster.pod("web") === undefined, 60_000);
  const [deletion, ...more] = requests("DELETE", /pods\/web$/);
  expect(more).toEqual([]);
  expect(deletion?.body).toMatchObject({ gracePeriodSeconds: 0, preconditions: { uid } });
  const before = cluster.requests.slice(0, cluster.requests.indexOf(deletion as (typeof cluster.requests)[number]));
  const recorded = before.filter(({ path }) => path.endsWith("pods/web/status"));
  // In one word or in two: how its containers ended, and last of all that it has.
  expect(JSON.stringify(recorded)).toContain('"terminated":{"exitCode":143');
  expect(recorded.at(-1)?.body).toMatchObject({ status: { phase: "Failed" } });
  expect(await agent.runtime.listContainers()).toEqual([]);
  await agent.waitFor(() => agent.api.pods().length === 0);
});

test("a pod that vanishes from the API is killed all the same, and nothing is asked of its name", async () => {
  await start();
  cluster.addPod("web", spec());
  await agent.waitFor(() => ready("web") === "True");
  cluster.remove("/api/v1/namespaces/default/pods", "web");
  await agent.waitFor(() => agent.api.pods().length === 0);
  expect(await agent.runtime.listContainers()).toEqual([]);
  expect(requests("DELETE", /pods/)).toEqual([]);
});

test("a pod that never started goes at once", async () => {
  await start();
  cluster.addPod("web", spec(), { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 30 });
  await agent.waitFor(() => cluster.pod("web") === undefined, 5_000);
});

test("a pod of the same name and another uid waits until the old one is gone", async () => {
  await start();
  cluster.addPod("web", spec());
  await agent.waitFor(() => ready("web") === "True");
  const old = cluster.pod("web")?.metadata.uid;
  cluster.remove("/api/v1/namespaces/default/pods", "web");
  const fresh = cluster.addPod("web", spec());
  expect(fresh.metadata.uid).not.toBe(old);
  await agent.waitFor(() => ready("web") === "True");
  const uids = (await agent.runtime.listSandboxes()).map(({ metadata }) => metadata.uid);
  expect(uids).toEqual([fresh.metadata.uid]);
});

test("a readiness gate holds the pod back until its condition is set in the API", async () => {
  await start();
  cluster.addPod("web", spec({ readinessGates: [{ conditionType: "example.com/lb" }] }));
  await agent.waitFor(() => statusOf("web").phase === "Running" && ready("web") === "False");
  const pod = cluster.pod("web");
  const conditions = [...(statusOf("web").conditions ?? []), { type: "example.com/lb", status: "True" }];
  cluster.put("/api/v1/namespaces/default/pods", {
    ...pod,
    metadata: { ...pod?.metadata, name: "web" },
    status: { ...pod?.status, conditions },
  });
  await agent.waitFor(() => ready("web") === "True");
  const written = JSON.stringify(requests("PATCH", /pods\/web\/status/).map(({ body }) => body));
  expect(written).not.toContain('"type":"example.com/lb"');
});

test("what others write over the node's own words is written again", async () => {
  await start();
  cluster.addPod("web", spec());
  await agent.waitFor(() => ready("web") === "True");
  const pod = cluster.pod("web");
  cluster.put("/api/v1/namespaces/default/pods", {
    ...pod,
    metadata: { ...pod?.metadata, name: "web" },
    status: { ...pod?.status, phase: "Pending" },
  });
  await agent.waitFor(() => statusOf("web").phase === "Running", 20_000);
});

test("a restart of the agent shows the API no pod unready, and finishes a deletion that it had begun", async () => {
  await start();
  cluster.addPod("web", spec());
  cluster.addPod("old", spec({ terminationGracePeriodSeconds: 30 }));
  await agent.waitFor(() => ready("web") === "True" && ready("old") === "True");
  const from = cluster.requests.length;
  await agent.restart(() => cluster.askToGo("old", 1));
  await agent.waitFor(() => cluster.pod("old") === undefined);
  await agent.advance(60_000);
  const written = cluster.requests.slice(from).filter(({ path }) => path.endsWith("pods/web/status"));
  expect(written).toEqual([]);
  expect(ready("web")).toBe("True");
});

test("a pod that had ended before the agent came is not run again; asked to go, it goes", async () => {
  cluster.put("/api/v1/namespaces/default/pods", {
    metadata: { name: "done", namespace: "default" },
    spec: { nodeName: "node1", ...spec() },
    status: { phase: "Succeeded" },
  });
  await start();
  await agent.advance(30_000);
  expect(agent.api.pods()).toEqual([]);
  cluster.askToGo("done");
  await agent.waitFor(() => cluster.pod("done") === undefined, 60_000);
});

test("a pod that has ended keeps its containers, and so its logs, over a restart of the agent", async () => {
  await start();
  cluster.addPod("job", spec({ restartPolicy: "Never" }));
  await agent.waitFor(() => ready("job") === "True");
  agent.runtime.exit("job", "main", 0);
  await agent.waitFor(() => statusOf("job").phase === "Succeeded");
  await agent.advance(5_000);
  const before = JSON.stringify(statusOf("job"));
  await agent.restart();
  await agent.advance(60_000);
  expect(await agent.runtime.listContainers()).toHaveLength(1);
  expect(JSON.stringify(statusOf("job"))).toBe(before);
  cluster.askToGo("job");
  await agent.waitFor(() => cluster.pod("job") === undefined);
  expect(await agent.runtime.listContainers()).toEqual([]);
});

test("another spec for a pod that has ended does not run it again", async () => {
  await start();
  cluster.addPod("job", spec({ restartPolicy: "Never" }));
  await agent.waitFor(() => ready("job") === "True");
  agent.runtime.exit("job", "main", 0);
  await agent.waitFor(() => statusOf("job").phase === "Succeeded");
  const pod = cluster.pod("job");
  const tolerations = [{ key: "x", operator: "Exists" }];
  cluster.put("/api/v1/namespaces/default/pods", {
    ...pod,
    metadata: { ...pod?.metadata, name: "job", generation: 2 },
    spec: { ...pod?.spec, tolerations },
  });
  await agent.advance(60_000);
  expect(await agent.runtime.listContainers()).toHaveLength(1);
  expect(statusOf("job").phase).toBe("Succeeded");
});

const staticPod = (uid: string): Pod => {
  const pod = aPod({ name: "static-node1", uid, containers: [{ name: "main", image: "web:1" }] });
  const annotations = { "kubernetes.io/config.source": "file", "kubernetes.io/config.hash": uid };
  // As sources of static pods give it: the watch of the node's pods reports the mirror.
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec: { ...pod.spec, nodeName: "node1" } };
};

test("a static pod has a mirror in the API with its status; a deleted mirror is created again, and it is removed with the pod", async () => {
  const source = new ManualSource();
  await start([source]);
  source.deliver([staticPod("u1")]);
  const mirror = () => cluster.pod("static-node1");
  await agent.waitFor(() => ready("static-node1") === "True", 60_000);
  expect(mirror()?.metadata).toMatchObject({
    annotations: { "kubernetes.io/config.mirror": "u1" },
    ownerReferences: [{ kind: "Node", name: "node1", controller: true }],
  });
  const first = mirror()?.metadata.uid;
  cluster.askToGo("static-node1");
  await agent.waitFor(
    () => mirror() !== undefined && mirror()?.metadata.uid !== first && ready("static-node1") === "True",
  );
  expect((await agent.runtime.listSandboxes()).length).toBe(1);
  source.deliver([]);
  await agent.waitFor(() => mirror() === undefined);
});

test("a mirror whose static pod was removed while no agent ran is removed with the next reconcile", async () => {
  cluster.put("/api/v1/namespaces/default/pods", {
    metadata: { name: "gone-node1", namespace: "default", annotations: { "kubernetes.io/config.mirror": "h" } },
    spec: { nodeName: "node1", ...spec() },
  });
  await start();
  await agent.waitFor(() => cluster.pod("gone-node1") === undefined, 60_000);
});

test("another image restarts the container, and the pod stays", async () => {
  await start();
  cluster.addPod("web", spec());
  await agent.waitFor(() => ready("web") === "True");
  const pod = cluster.pod("web");
  cluster.put("/api/v1/namespaces/default/pods", {
    ...pod,
    metadata: { ...pod?.metadata, name: "web", generation: 2 },
    spec: { ...pod?.spec, containers: [aContainer({ name: "main", image: "web:2" })] },
  });
  const container = () => (statusOf("web").containerStatuses as { image: string; restartCount: number }[])[0];
  await agent.waitFor(() => container()?.restartCount === 1 && ready("web") === "True");
  expect(statusOf("web").observedGeneration).toBe(2);
  expect((await agent.runtime.listSandboxes()).length).toBe(1);
});

test("an ephemeral container starts in the running pod, sees its target's processes, and nothing waits for it", async () => {
  await start();
  cluster.addPod("web", spec());
  await agent.waitFor(() => ready("web") === "True");
  const pod = cluster.pod("web");
  const ephemeralContainers = [{ ...aContainer({ name: "look", image: "busybox:1" }), targetContainerName: "main" }];
  cluster.put("/api/v1/namespaces/default/pods", {
    ...pod,
    metadata: { ...pod?.metadata, name: "web", generation: 2 },
    spec: { ...pod?.spec, ephemeralContainers },
  });
  type Shown = { name: string; state: { running?: object; terminated?: { exitCode: number } }; restartCount: number };
  const look = () => (statusOf("web").ephemeralContainerStatuses as Shown[] | undefined)?.[0];
  await agent.waitFor(() => look()?.state.running !== undefined);
  expect((await agent.runtime.listSandboxes()).length).toBe(1);
  agent.runtime.exit("web", "look", 3);
  await agent.waitFor(() => look()?.state.terminated?.exitCode === 3);
  await agent.advance(600_000);
  expect(look()?.restartCount).toBe(0);
  expect([ready("web"), statusOf("web").phase]).toEqual(["True", "Running"]);
});

test("events of pods and of the node come to the API; a repeat increments the existing one", async () => {
  await start();
  cluster.addPod("web", spec());
  await agent.waitFor(() => ready("web") === "True");
  await agent.advance(1_000);
  const reasons = cluster.events().map(({ reason }) => reason);
  expect(reasons).toEqual(expect.arrayContaining(["Starting", "NodeReady", "Pulled", "Created", "Started"]));
});

test("a node that is deleted in the API is registered again", async () => {
  await start();
  await agent.advance(20_000);
  cluster.remove("/api/v1/nodes", "node1");
  await agent.waitFor(() => cluster.objects.has(NODE), 320_000);
});

test("labels that others give the node in the API are the node's own for admission", async () => {
  await start();
  await agent.advance(1_000);
  const node = cluster.objects.get(NODE);
  const labels = { ...(node?.metadata.labels as object), disk: "ssd" };
  cluster.put("/api/v1/nodes", { ...node, metadata: { ...node?.metadata, name: "node1", labels } });
  cluster.addPod("web", spec({ nodeSelector: { disk: "ssd" } }));
  await agent.waitFor(() => ready("web") === "True");
});

test("a runtime that is away makes one event NodeNotReady, and one NodeReady when it is back", async () => {
  await start();
  await agent.waitFor(() => cluster.objects.has(NODE), 5_000);
  await agent.advance(60_000);
  const seen = (reason: string): number =>
    agent.events().reduce((sum, event) => sum + (event.reason === reason ? (event.count ?? 1) : 0), 0);
  const before = seen("NodeReady");
  agent.runtime.setHealth("container runtime is down");
  await agent.advance(120_000);
  agent.runtime.setHealth(undefined);
  await agent.advance(120_000);
  expect([seen("NodeNotReady"), seen("NodeReady") - before]).toEqual([1, 1]);
});

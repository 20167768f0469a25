/** A node whose clock is an hour off the API server's, or is set while it runs, in virtual time. */
import { aContainer, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { createKubePlugin } from "../../src/plugin.js";
import { FakeCluster } from "../fake-cluster.js";

const PODS = "/api/v1/namespaces/default/pods";
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node1";
const HOUR = 3_600_000;

let cluster: FakeCluster;
let agent: TestAgent;

beforeEach(() => {
  cluster = new FakeCluster();
});

async function start(clock = new VirtualClock()): Promise<void> {
  const plugin = createKubePlugin({ random: () => 0.5, clients: cluster.clients });
  agent = await startTestAgent({ clock, plugins: [[plugin, { kubeconfig: "/unused" }]] });
}

type Condition = { type: string; status: string; lastTransitionTime: string };
type Status = { phase?: string; reason?: string; startTime?: string; conditions?: Condition[] };
const statusOf = (name: string): Status => (cluster.pod(name)?.status ?? {}) as Status;
const isReady = (name: string) => statusOf(name).conditions?.find(({ type }) => type === "Ready")?.status === "True";

/** Bound `at` the API server's time. */
function bind(name: string, at: number, more: object = {}): void {
  const creationTimestamp = new Date(at).toISOString();
  const containers = [aContainer({ name: "main", image: "web:1" })];
  cluster.addPod(name, { containers, terminationGracePeriodSeconds: 10, ...more }, { creationTimestamp });
}

const restarts = (): number =>
  (statusOf("web") as { containerStatuses?: { restartCount: number }[] }).containerStatuses?.[0]?.restartCount ?? 0;

describe.each([
  { name: "an hour ahead of", ahead: HOUR },
  { name: "an hour behind", ahead: -HOUR },
])("a clock $name the API server's", ({ ahead }) => {
  /** Of the API server. */
  const there = (): number => agent.clock.now() - ahead;

  test("a pod runs and is reported Ready; its times are the node's own, the API server's stay", async () => {
    await start();
    bind("web", there());
    await agent.waitFor(() => isReady("web"));
    const { startTime, conditions = [] } = statusOf("web");
    expect(Math.abs(Date.parse(startTime ?? "") - agent.clock.now())).toBeLessThan(10_000);
    const times = new Map(conditions.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]));
    expect(times.get("PodScheduled")).toBe("2026-01-01T00:00:00Z");
    expect(Math.abs(Date.parse(times.get("Ready") ?? "") - agent.clock.now())).toBeLessThan(10_000);
  });

  test("activeDeadlineSeconds are counted from the start here, over a restart of the agent too", async () => {
    await start();
    bind("job", there(), { activeDeadlineSeconds: 60, restartPolicy: "Never" });
    await agent.waitFor(() => isReady("job"));
    await agent.advance(30_000);
    await agent.restart();
    await agent.advance(20_000);
    expect(statusOf("job").phase).toBe("Running");
    await agent.waitFor(() => statusOf("job").phase === "Failed", 40_000);
    expect(statusOf("job").reason).toBe("DeadlineExceeded");
  });

  test("a deleted pod has its whole grace period and no more, whatever deletionTimestamp is", async () => {
    await start();
    bind("web", there());
    agent.runtime.script({ pod: "web", container: "main" }, (process) => process.onTerm(() => undefined));
    await agent.waitFor(() => isReady("web"));
    const pod = cluster.pod("web");
    const deletionTimestamp = new Date(there() + 10_000).toISOString();
    const metadata = {
      ...pod?.metadata,
      name: "web",
      deletionTimestamp,
      deletionGracePeriodSeconds: 10,
      generation: 2,
    };
    cluster.put(PODS, { ...pod, metadata });
    await agent.advance(9_000);
    const states = async () => (await agent.runtime.listContainers()).map(({ state }) => state);
    expect(await states()).toEqual(["CONTAINER_RUNNING"]);
    await agent.waitFor(() => cluster.pod("web") === undefined, 10_000);
  });

  test("a lease that another agent renews by the other clock is no older for that; once it is not renewed it is taken over", async () => {
    const clock = new VirtualClock();
    const renew = (): void => {
      const before = cluster.objects.get(LEASE);
      const renewTime = new Date(clock.now() - ahead).toISOString().replace("Z", "000Z");
      const metadata = { ...before?.metadata, name: "node1", annotations: { "hooklet.dev/agent": "b" } };
      cluster.put(LEASE.replace(/\/node1$/, ""), { ...before, metadata, spec: { renewTime } });
    };
    renew();
    await start(clock);
    for (let turn = 0; turn < 12; turn += 1) {
      await agent.advance(10_000);
      renew();
    }
    expect(cluster.objects.has("/api/v1/nodes/node1")).toBe(false);
    await agent.advance(38_000);
    expect(cluster.objects.has("/api/v1/nodes/node1")).toBe(false);
    await agent.waitFor(() => cluster.objects.has("/api/v1/nodes/node1"), 10_000);
  });
});

describe.each([
  { name: "an hour on", jump: HOUR },
  { name: "back by an hour", jump: -HOUR },
])("a clock that is set $name while the node works", ({ jump }) => {
  test("costs no pod its readiness and ends none; lease, statuses and events continue with the new time", async () => {
    await start();
    bind("web", agent.clock.now());
    bind("job", agent.clock.now(), { activeDeadlineSeconds: 600, restartPolicy: "Never" });
    await agent.waitFor(() => isReady("web") && isReady("job"));
    const from = cluster.requests.length;
    agent.clock.jump(jump);
    await agent.advance(120_000);
    const since = cluster.requests.slice(from);
    expect(since.filter(({ path }) => path.includes("/pods/")).map(({ method, path }) => `${method} ${path}`)).toEqual(
      [],
    );
    const renewTime = () => Date.parse(String(cluster.objects.get(LEASE)?.spec?.renewTime));
    expect(Math.abs(renewTime() - agent.clock.now())).toBeLessThan(15_000);
    expect(since.filter(({ path }) => path === LEASE).length).toBeGreaterThanOrEqual(11);
    agent.runtime.exit("web", "main", 1);
    await agent.waitFor(() => restarts() === 1 && isReady("web"), 60_000);
    expect(statusOf("job").phase).toBe("Running");
    await agent.waitFor(() => statusOf("job").phase === "Failed", 500_000);
    expect(statusOf("job").reason).toBe("DeadlineExceeded");
  });

  test("leaves a grace that has begun as long as it was", async () => {
    await start();
    bind("web", agent.clock.now());
    agent.runtime.script({ pod: "web", container: "main" }, (process) => process.onTerm(() => undefined));
    await agent.waitFor(() => isReady("web"));
    cluster.askToGo("web", 10);
    await agent.advance(2_000);
    agent.clock.jump(jump);
    await agent.advance(6_000);
    expect((await agent.runtime.listContainers()).map(({ state }) => state)).toEqual(["CONTAINER_RUNNING"]);
    await agent.waitFor(() => cluster.pod("web") === undefined, 10_000);
  });
});

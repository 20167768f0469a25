import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type ClaimOptions, claimNode } from "../../src/node/claim.js";
import { renewLease } from "../../src/node/lease.js";
import { FakeCluster } from "../fake-cluster.js";

const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node1";
const AGENT = "hooklet.dev/agent";

let cluster: FakeCluster;
let clock: VirtualClock;
let lives: AbortController[];

beforeEach(() => {
  [cluster, clock, lives] = [new FakeCluster(), new VirtualClock(), []];
});
afterEach(() => {
  for (const life of lives) life.abort();
});

/** What an agent of node1 does with its lease until it ends. */
class Twin {
  readonly life = new AbortController();
  readonly reports: string[] = [];
  readonly heldBy: (string | undefined)[] = [];
  claimed = false;

  constructor(agentId: string) {
    lives.push(this.life);
    void this.#live({
      client: cluster.clients().heartbeat,
      clock,
      random: () => 0.5,
      nodeName: "node1",
      agentId,
      nodeUid: () => undefined,
      nodeLeaseDurationSeconds: 40,
      report: (_, error) => this.reports.push((error as Error).message),
      held: (by) => this.heldBy.push(by),
    });
  }

  async #live(options: ClaimOptions): Promise<void> {
    const claimed = await claimNode(options, this.life.signal);
    this.claimed = claimed !== undefined;
    await renewLease({ ...options, claimed }, this.life.signal);
  }
}

const holder = (): unknown => (cluster.objects.get(LEASE)?.metadata.annotations as Record<string, string>)?.[AGENT];

test("the first agent of a name has its lease at once, and again after a restart", async () => {
  const first = new Twin("a");
  await clock.advance(1_000);
  expect([first.claimed, holder()]).toEqual([true, "a"]);
  first.life.abort();
  const again = new Twin("a");
  await clock.advance(1_000);
  expect([again.claimed, again.reports]).toEqual([true, []]);
});

test("a second one waits as long as the first one renews, and says so once", async () => {
  new Twin("a");
  await clock.advance(1_000);
  const second = new Twin("b");
  await clock.advance(600_000);
  expect([second.claimed, second.heldBy, holder()]).toEqual([false, ["a"], "a"]);
  expect(second.reports).toEqual([
    "node node1 is held by another agent (a): this one takes no pods until that one has been silent for 40 s; stop it, or give one of the two another node.name",
  ]);
});

test("it takes over once the first one has been silent for the lease's duration, not before", async () => {
  const first = new Twin("a");
  await clock.advance(25_000);
  first.life.abort();
  const second = new Twin("b");
  await clock.advance(38_000);
  expect(second.claimed).toBe(false);
  await clock.advance(4_000);
  expect([second.claimed, second.heldBy, holder()]).toEqual([true, ["a", undefined], "b"]);
});

test("of two that start at the same moment one alone has the node", async () => {
  const twins = [new Twin("a"), new Twin("b")];
  await clock.advance(60_000);
  expect(twins.map(({ claimed }) => claimed).sort()).toEqual([false, true]);
});

test("one that was silent for too long leaves the lease to the other, and says so", async () => {
  const first = new Twin("a");
  await clock.advance(1_000);
  const lease = cluster.objects.get(LEASE);
  const annotations = { [AGENT]: "b" };
  cluster.put(LEASE.replace(/\/node1$/, ""), {
    ...lease,
    metadata: { ...lease?.metadata, name: "node1", annotations },
  });
  await clock.advance(60_000);
  expect(holder()).toBe("b");
  expect(first.reports).toEqual([
    "node node1 was taken over by another agent (b) while this one was silent: stop one of the two",
  ]);
});

test("a lease that a kubelet held is taken over at once", async () => {
  const spec = { holderIdentity: "node1", renewTime: "2026-01-01T00:00:00.000000Z" };
  cluster.put(LEASE.replace(/\/node1$/, ""), { metadata: { name: "node1" }, spec });
  const first = new Twin("a");
  await clock.advance(1_000);
  expect([first.claimed, holder()]).toEqual([true, "a"]);
});

test("an API server that does not answer is asked again, and told of once", async () => {
  cluster.down = true;
  const first = new Twin("a");
  await clock.advance(30_000);
  expect(first.reports).toEqual(["nobody answers"]);
  cluster.down = false;
  await clock.advance(8_000);
  expect(first.claimed).toBe(true);
});

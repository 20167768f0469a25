import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { ApiError } from "../../../src/client/api-error.js";
import { type ClaimOptions, claimNode } from "../../../src/node/claim.js";
import { type LeaseOptions, renewLease } from "../../../src/node/lease.js";
import { NodeLease } from "../../../src/node/node-lease.js";
import { FakeCluster } from "../../fake-cluster.js";

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

const COLLECTION = LEASE.replace(/\/node1$/, "");
type Client = ClaimOptions["client"];

/** What an agent of node1 does with its lease until it ends. */
class Twin {
  readonly life = new AbortController();
  readonly reports: string[] = [];
  readonly heldBy: (string | undefined)[] = [];
  readonly nodeLease = new NodeLease(clock, 40);
  claimed = false;
  /** The node is registered and its pods run. */
  isIn = false;

  /** `faulty`: a client that fails at some requests. */
  constructor(agentId: string, faulty: Partial<Client> = {}) {
    lives.push(this.life);
    void this.#live({
      client: { ...cluster.clients({}, { clock }).heartbeat, ...faulty } as Client,
      clock,
      random: () => 0.5,
      nodeName: "node1",
      agentId,
      nodeUid: () => undefined,
      nodeLease: this.nodeLease,
      nodeLeaseDurationSeconds: 40,
      report: (_, error) => this.reports.push((error as Error).message),
      heldBy: (by) => this.heldBy.push(by),
    });
  }

  async #live(options: LeaseOptions): Promise<void> {
    const claimed = await claimNode(options, this.life.signal);
    this.claimed = claimed.lease !== undefined;
    this.isIn = !this.life.signal.aborted;
    await renewLease({ ...options, claimed }, this.life.signal);
  }
}

const holder = (): unknown => (cluster.objects.get(LEASE)?.metadata.annotations as Record<string, string>)?.[AGENT];

/** Agent b renewed it last. */
function taken(): void {
  const lease = cluster.objects.get(LEASE);
  const metadata = { ...lease?.metadata, name: "node1", annotations: { [AGENT]: "b" } };
  cluster.put(COLLECTION, { spec: { renewTime: "2026-01-01T00:00:00.000000Z" }, ...lease, metadata });
}

test("the first agent of a name has its lease at once, and again after a restart", async () => {
  const first = new Twin("a");
  await clock.advance(1_000);
  expect([first.claimed, holder()]).toEqual([true, "a"]);
  first.life.abort();
  const again = new Twin("a");
  await clock.advance(1_000);
  expect([again.claimed, again.reports]).toEqual([true, []]);
});

test("a second one waits as long as the first one renews, and reports that once", async () => {
  new Twin("a");
  await clock.advance(1_000);
  const second = new Twin("b");
  await clock.advance(600_000);
  expect([second.claimed, second.heldBy, holder()]).toEqual([false, ["a"], "a"]);
  expect(second.reports).toEqual([
    "node node1 is held by another agent (a): this one waits until that one has been silent for 40 s; stop it, or give one of the two another node.name",
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

test("one that was silent for too long leaves the lease to the other, and reports that", async () => {
  const first = new Twin("a");
  await clock.advance(1_000);
  taken();
  const second = new Twin("b");
  await clock.advance(60_000);
  expect([holder(), second.claimed, first.heldBy]).toEqual(["b", true, ["b"]]);
  expect(first.reports).toEqual([
    "node node1 was taken over by another agent (b) though this one was not silent: stop one of the two",
    "node node1 is held by another agent (b): this one waits until that one has been silent for 40 s; stop it, or give one of the two another node.name",
  ]);
});

test("one that lost its lease has it again once the other one has been silent for as long, without a restart", async () => {
  const first = new Twin("a");
  await clock.advance(1_000);
  taken();
  const second = new Twin("b");
  await clock.advance(60_000);
  second.life.abort();
  await clock.advance(20_000);
  expect(holder()).toBe("b");
  await clock.advance(40_000);
  expect([holder(), first.heldBy]).toEqual(["a", ["b", undefined]]);
  const before = cluster.objects.get(LEASE)?.metadata.resourceVersion;
  await clock.advance(60_000);
  expect([holder(), cluster.objects.get(LEASE)?.metadata.resourceVersion === before]).toEqual(["a", false]);
});

test("time in which the lease could not be read is no silence of the other agent", async () => {
  taken();
  const second = new Twin("b2");
  await clock.advance(10_000);
  cluster.down = true;
  await clock.advance(120_000);
  cluster.down = false;
  await clock.advance(8_000);
  expect([second.claimed, holder()]).toEqual([false, "b"]);
  await clock.advance(40_000);
  expect([second.claimed, holder()]).toEqual([true, "b2"]);
});

const fails = (status: number) => async () => {
  throw new ApiError(status, "Fault", `answered with ${status}`);
};

test.each<{ name: string; faulty: Partial<Client> }>([
  { name: "are forbidden", faulty: { get: fails(403), create: fails(403), replace: fails(403) } },
  { name: "have no namespace", faulty: { create: fails(404) } },
  { name: "are refused by a webhook that fails", faulty: { create: fails(500), replace: fails(500) } },
])(
  "a node whose leases $name is in the cluster without, after the lease's duration, and says why",
  async ({ faulty }) => {
    const first = new Twin("a", faulty);
    await clock.advance(38_000);
    expect(first.isIn).toBe(false);
    await clock.advance(10_000);
    expect([first.isIn, first.claimed]).toEqual([true, false]);
    expect(first.reports[0]).toMatch(/^answered with/);
  },
);

test.each<{ name: string; status: number }>([
  { name: "fails at everything", status: 500 },
  { name: "does not know who asks", status: 401 },
  { name: "does not answer", status: 0 },
])("a server that $name is no information about the lease: the read is retried", async ({ status }) => {
  const first = new Twin("a", { get: fails(status), create: fails(status), replace: fails(status) });
  await clock.advance(300_000);
  expect([first.isIn, first.reports.length]).toEqual([false, 1]);
});

test("one refusal after a long outage does not admit a second agent: leases alone have failed only since then", async () => {
  taken();
  cluster.down = true;
  const { get } = cluster.clients({}, { clock }).heartbeat;
  let refusals = 1;
  const refusing: Client["get"] = (path, options) =>
    !cluster.down && refusals-- > 0 ? fails(403)() : get(path, options);
  const second = new Twin("a", { get: refusing });
  await clock.advance(60_000);
  cluster.down = false;
  await clock.advance(20_000);
  expect([refusals < 1, second.isIn, second.heldBy, holder()]).toEqual([true, false, ["b"], "b"]);
});

test("readable leases that cannot be written do not admit a second agent", async () => {
  new Twin("a");
  await clock.advance(1_000);
  const second = new Twin("b", { create: fails(403), replace: fails(403) });
  await clock.advance(300_000);
  expect([second.isIn, holder()]).toEqual([false, "a"]);
});

test("a deleted lease does not admit a second agent", async () => {
  const first = new Twin("a");
  await clock.advance(1_000);
  const second = new Twin("b");
  await clock.advance(12_000);
  cluster.remove(COLLECTION, "node1");
  await clock.advance(120_000);
  expect([holder(), second.claimed, first.nodeLease.acts, first.reports]).toEqual(["a", false, true, []]);
});

test("a lease that is deleted after its agent has died is free after the lease's duration, not before", async () => {
  taken();
  const second = new Twin("a");
  await clock.advance(10_000);
  cluster.remove(COLLECTION, "node1");
  await clock.advance(26_000);
  expect(second.claimed).toBe(false);
  await clock.advance(8_000);
  expect([second.claimed, holder()]).toEqual([true, "a"]);
});

/** A client whose writes fail while it is said so. */
function refusing(isRefusing: () => boolean, status = 500): Partial<Client> {
  const { create, replace } = cluster.clients({}, { clock }).heartbeat;
  return {
    create: (path, body, options) => (isRefusing() ? fails(status)() : create(path, body, options)),
    replace: (path, body, options) => (isRefusing() ? fails(status)() : replace(path, body, options)),
  };
}

test.each([60_000, 80_500, 120_000, 121_000, 300_000])(
  "writes that fail for both for %d ms are no silence of the one that lives: it has the node all the time",
  async (milliseconds) => {
    let isFull = false;
    const first = new Twin(
      "a",
      refusing(() => isFull),
    );
    await clock.advance(1_000);
    // The one that waits is the first at each turn.
    const second = new Twin(
      "b",
      refusing(() => isFull),
    );
    await clock.advance(30_000);
    isFull = true;
    await clock.advance(milliseconds);
    expect([first.nodeLease.acts, second.isIn]).toEqual([true, false]);
    isFull = false;
    await clock.advance(120_000);
    expect([holder(), first.nodeLease.acts, second.isIn]).toEqual(["a", true, false]);
  },
);

test("after failed writes the first successful one takes nothing: a silence without writes must be observed again", async () => {
  taken();
  let isFull = true;
  const second = new Twin(
    "a",
    refusing(() => isFull),
  );
  await clock.advance(60_000);
  isFull = false;
  await clock.advance(30_000);
  expect([holder(), second.claimed]).toEqual(["b", false]);
  await clock.advance(30_000);
  expect([holder(), second.claimed]).toEqual(["a", true]);
});

test("a dead agent's lease that cannot be written keeps no agent out: the node is active all the time, and takes the lease once it can be written", async () => {
  taken();
  let isForbidden = true;
  const second = new Twin(
    "a",
    refusing(() => isForbidden, 403),
  );
  await clock.advance(100_000);
  expect(second.isIn).toBe(true);
  for (let look = 0; look < 100; look += 1) {
    await clock.advance(2_000);
    expect(second.nodeLease.acts).toBe(true);
  }
  isForbidden = false;
  await clock.advance(100_000);
  expect([holder(), second.nodeLease.acts, second.reports.some((text) => text.includes("taken over"))]).toEqual([
    "a",
    true,
    false,
  ]);
});

test("an agent that started with a lease it could not write yields to the one that renews it, and ends nothing", async () => {
  taken();
  let isForbidden = true;
  const second = new Twin(
    "a",
    refusing(() => isForbidden, 403),
  );
  await clock.advance(100_000);
  isForbidden = false;
  new Twin("b");
  await clock.advance(120_000);
  const { acts, isLost } = second.nodeLease;
  expect([holder(), second.isIn, acts, isLost]).toEqual(["b", true, false, false]);
});

/** Agent b renews it. */
function renewals(): () => void {
  let count = 0;
  return () => {
    const lease = cluster.objects.get(LEASE);
    const metadata = { ...lease?.metadata, name: "node1", annotations: { [AGENT]: "b" } };
    cluster.put(COLLECTION, { ...lease, metadata, spec: { renewTime: `2026-01-01T00:00:00.${100_000 + ++count}Z` } });
  };
}

test("the other one is seen to live by its third renewal in a row, not by one", async () => {
  const renew = renewals();
  renew();
  const second = new Twin("a");
  await clock.advance(1_000);
  const seen: boolean[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await clock.advance(10_000);
    renew();
    await clock.advance(3_000);
    seen.push(second.nodeLease.isLost);
  }
  expect(seen).toEqual([false, false, true]);
});

test("renewals between reads far apart prove nothing: their agent may have died long ago", async () => {
  const renew = renewals();
  renew();
  const second = new Twin("a");
  await clock.advance(1_000);
  for (let turn = 0; turn < 5; turn += 1) {
    cluster.down = true;
    await clock.advance(60_000);
    renew();
    cluster.down = false;
    await clock.advance(10_000);
  }
  expect([second.nodeLease.isLost, second.claimed]).toEqual([false, false]);
  await clock.advance(60_000);
  expect(second.claimed).toBe(true);
});

/** Another agent of this id writes the lease as its own. */
function written(agentId: string, renewTime?: string): void {
  const lease = cluster.objects.get(LEASE);
  const metadata = { ...lease?.metadata, name: "node1", annotations: { [AGENT]: agentId } };
  cluster.put(COLLECTION, { ...lease, metadata, spec: renewTime === undefined ? {} : { renewTime } });
}

test("pods are ended in the name of the reported holder: a silence that was passed over breaks the series of renewals", async () => {
  written("b", "1");
  const second = new Twin("a", { create: fails(403), replace: fails(403) });
  const names: (string | undefined)[] = [];
  second.nodeLease.watch(() => {
    if (second.nodeLease.isLost) names.push(second.heldBy.at(-1));
  });
  for (const renewTime of ["2", "3"]) {
    await clock.advance(6_000);
    written("b", renewTime);
  }
  await clock.advance(60_000);
  expect(second.heldBy).toEqual(["b", undefined]);
  const seen: number[] = [];
  for (const renewTime of ["4", "5", "6"]) {
    written("b", renewTime);
    await clock.advance(8_000);
    seen.push(names.length);
  }
  expect([seen, names, second.heldBy]).toEqual([[0, 0, 1], ["b"], ["b", undefined, "b"]]);
});

test("a third agent that takes the lease from the holder is reported", async () => {
  written("b", "1");
  const second = new Twin("a");
  await clock.advance(5_000);
  written("c", "2");
  await clock.advance(5_000);
  expect(second.heldBy).toEqual(["b", "c"]);
  expect(second.reports.map((text) => /another agent \((.)\)/.exec(text)?.[1])).toEqual(["b", "c"]);
});

test("a dead agent's lease without any renewTime that cannot be written is passed over as every other one", async () => {
  written("b");
  const second = new Twin("a", { create: fails(403), replace: fails(403) });
  await clock.advance(100_000);
  const acts: boolean[] = [second.isIn];
  for (let look = 0; look < 60; look += 1) {
    await clock.advance(2_000);
    acts.push(second.nodeLease.acts);
  }
  expect([acts.every(Boolean), second.reports.some((text) => text.includes("taken over"))]).toEqual([true, false]);
});

test.each([
  { name: "registered", isThere: true },
  { name: "not there", isThere: false },
])(
  "leases that alone cannot be read stop no node that has acted until then ($name); one that was silent before reads its lease first",
  async ({ isThere }) => {
    if (isThere) cluster.put("/api/v1/nodes", { metadata: { name: "node1" } });
    let isBroken = false;
    const { get } = cluster.clients({}, { clock }).heartbeat;
    const faulty: Partial<Client> = {
      ...refusing(() => isBroken),
      get: (path, options) => (isBroken && path === LEASE ? fails(500)() : get(path, options)),
    };
    const first = new Twin("a", faulty);
    await clock.advance(1_000);
    isBroken = true;
    await clock.advance(300_000);
    expect(first.nodeLease.acts).toBe(true);
    cluster.down = true;
    await clock.advance(60_000);
    cluster.down = false;
    await clock.advance(300_000);
    expect(first.nodeLease.acts).toBe(false);
    isBroken = false;
    await clock.advance(20_000);
    expect(first.nodeLease.acts).toBe(true);
  },
);

test("a lease that a kubelet held is taken over at once", async () => {
  const spec = { holderIdentity: "node1", renewTime: "2026-01-01T00:00:00.000000Z" };
  cluster.put(COLLECTION, { metadata: { name: "node1" }, spec });
  const first = new Twin("a");
  await clock.advance(1_000);
  expect([first.claimed, holder()]).toEqual([true, "a"]);
});

test("an API server that does not answer is called again, and reported once", async () => {
  cluster.down = true;
  const first = new Twin("a");
  await clock.advance(30_000);
  expect(first.reports).toEqual(["nobody answers"]);
  cluster.down = false;
  await clock.advance(8_000);
  expect(first.claimed).toBe(true);
});

import { describe, expect, test } from "@jest/globals";
import {
  ContainerCollector,
  type ContainerPorts,
  type ListedContainer,
  type ListedSandbox,
} from "../../src/container-collector.js";
import { type ContainerPolicy, kubeletContainerPolicy } from "../../src/internal.js";

const container = (id: string, parts: Partial<ListedContainer> = {}): ListedContainer => ({
  id,
  podUid: "pod",
  name: "main",
  created: Number(id.replace(/\D/g, "")),
  state: "exited",
  sandboxId: "s1",
  ...parts,
});
const sandbox = (id: string, parts: Partial<ListedSandbox> = {}): ListedSandbox => ({
  id,
  podUid: "pod",
  created: Number(id.replace(/\D/g, "")),
  ready: false,
  ...parts,
});

class TestNode implements ContainerPorts {
  list: readonly ListedContainer[] = [];
  boxes: readonly ListedSandbox[] = [];
  folders: readonly string[] = [];
  links: readonly string[] = [];
  gone = new Set<string>();
  ended = new Set<string>();
  ready = true;
  fails = new Set<string>();
  readonly calls: string[] = [];
  readonly failures: string[] = [];
  states: Record<string, ListedContainer["state"]> = {};

  now = () => 1000;
  containers = async () => this.#may("containers", this.list);
  sandboxes = async () => this.#may("sandboxes", this.boxes);
  removeContainer = async (id: string) => {
    this.#do(`container ${id}`);
    this.list = this.list.filter((one) => one.id !== id);
  };
  removeSandbox = async (id: string) => this.#do(`sandbox ${id}`);
  pods = () => ({
    allSourcesReady: this.ready,
    isDeleted: (uid: string) => this.gone.has(uid),
    isTerminated: (uid: string) => this.ended.has(uid),
  });
  logDirectories = async () => this.#may("logs", this.folders);
  removeLogDirectory = async (name: string) => this.#do(`logs ${name}`);
  deadLogLinks = async () => this.links;
  removeLogLink = async (name: string) => this.#do(`link ${name}`);
  containerState = async (id: string) => this.states[id];
  failed = (what: string, error: unknown) => void this.failures.push(`${what}: ${(error as Error).message}`);

  collect(policy: Partial<ContainerPolicy> = {}, evictTerminated = false) {
    const collector = new ContainerCollector(this, { ...kubeletContainerPolicy, ...policy });
    return collector.collect(new AbortController().signal, evictTerminated);
  }

  #may<T>(what: string, answer: T): T {
    if (this.fails.has(what)) throw new Error(`cannot list ${what}`);
    return answer;
  }

  #do(what: string): void {
    this.calls.push(what);
    if (this.fails.has(what)) throw new Error("busy");
  }
}

function fullNode(): TestNode {
  const node = new TestNode();
  node.list = [container("c1"), container("c2"), container("c3", { state: "running" })];
  node.boxes = [sandbox("s0"), sandbox("s1", { ready: true }), sandbox("x2", { podUid: "deleted" })];
  node.folders = ["ns_web_pod", "ns_old_deleted"];
  node.gone = new Set(["deleted"]);
  return node;
}

test("a round removes dead containers, then empty sandboxes, then logs of pods that are gone", async () => {
  const node = fullNode();
  const cleaned = await node.collect();
  expect(node.calls).toEqual(["container c1", "sandbox s0", "sandbox x2", "logs ns_old_deleted"]);
  expect(cleaned.containers).toEqual([{ id: "c1", podUid: "pod", why: "more than 1 of this container" }]);
  expect(cleaned.sandboxes.map(({ why }) => why)).toEqual(["its pod has a newer sandbox", "its pod is gone"]);
  expect(cleaned.logDirectories).toEqual(["ns_old_deleted"]);
  expect(cleaned.failure).toBeUndefined();
});

test("a sandbox goes in the same round as its last container", async () => {
  const node = new TestNode();
  node.gone = new Set(["pod"]);
  node.list = [container("c1", { sandboxId: "s1" })];
  node.boxes = [sandbox("s1")];
  await node.collect();
  expect(node.calls).toEqual(["container c1", "sandbox s1"]);
});

test("a container that cannot be removed holds its sandbox and nothing else", async () => {
  const node = fullNode();
  node.list = [...node.list, container("c9", { podUid: "deleted", sandboxId: "x2" })];
  node.fails = new Set(["container c9"]);
  const cleaned = await node.collect();
  expect(node.calls).toEqual(["container c9", "container c1", "sandbox s0", "logs ns_old_deleted"]);
  expect(node.failures).toEqual(["container c9: busy"]);
  expect(cleaned.failure).toBeUndefined();
});

describe("while the removed pods are not known", () => {
  test("limits hold, but nothing goes for its pod's sake and no log goes", async () => {
    const node = fullNode();
    node.ready = false;
    node.list = [...node.list, container("c9", { podUid: "deleted", sandboxId: "x2" })];
    await node.collect();
    expect(node.calls).toEqual(["container c1", "sandbox s0"]);
  });
});

test("for disk pressure what pods that have ended hold goes as well", async () => {
  const node = new TestNode();
  node.ended = new Set(["pod"]);
  node.list = [container("c1")];
  node.boxes = [sandbox("s1")];
  await node.collect();
  expect(node.calls).toEqual([]);
  await node.collect({}, true);
  expect(node.calls).toEqual(["container c1", "sandbox s1"]);
});

test("a part that cannot be listed does not hold up the others, and all errors are one text", async () => {
  const node = fullNode();
  node.fails = new Set(["sandboxes", "logs"]);
  const cleaned = await node.collect();
  expect(node.calls).toEqual(["container c1"]);
  expect(cleaned.failure).toBe("[cannot list sandboxes, cannot list logs]");
});

test("a dead link goes unless its container has not exited: its log may be between two files", async () => {
  const node = new TestNode();
  node.links = ["p_n_c-0123456789.log", "p_n_c-aaaaaaaaaa.log", "p_n_c-bbbbbbbbbb.log", "odd.log"];
  node.states = { "0123456789": "running", aaaaaaaaaa: "exited" };
  await node.collect();
  expect(node.calls).toEqual(["link p_n_c-aaaaaaaaaa.log", "link p_n_c-bbbbbbbbbb.log", "link odd.log"]);
});

test("a plan names what the round removes and removes nothing", async () => {
  const node = fullNode();
  const collector = new ContainerCollector(node, kubeletContainerPolicy);
  const { containers, sandboxes } = await collector.plan();
  expect([...containers, ...sandboxes].map(({ id }) => id)).toEqual(["c1", "s0", "x2"]);
  expect(node.calls).toEqual([]);
});

test("an agent that stops ends the round", async () => {
  const node = fullNode();
  const stop = new AbortController();
  stop.abort(new Error("the agent stops"));
  await new ContainerCollector(node, kubeletContainerPolicy).collect(stop.signal);
  expect(node.calls).toEqual([]);
});

test("a dead link or a log folder that cannot be removed is reported, and the others go", async () => {
  const node = new TestNode();
  node.links = ["a.log", "b.log"];
  node.folders = ["default_gone_u1", "default_old_u2"];
  node.gone = new Set(["u1", "u2"]);
  node.fails = new Set(["link a.log", "logs default_gone_u1"]);
  await node.collect();
  expect(node.failures.map((one) => one.split(": ")[0])).toEqual(["log directory default_gone_u1", "log link a.log"]);
  expect(node.calls).toEqual(expect.arrayContaining(["logs default_old_u2", "link b.log"]));
});

import { errorText } from "@hooklet/core";
import { VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { EvictionLoop, type EvictionManager } from "../../../src/internal.js";
import { FakeNode, memory, pod, statisticsOf } from "../pods.js";

const hard = { evictionHard: { "memory.available": "100Mi" } };

function looping(node: FakeNode, manager: EvictionManager) {
  const clock = new VirtualClock();
  const failures: string[] = [];
  const stop = new AbortController();
  const clean = new Set<string>();
  node.monotonic = () => clock.monotonic();
  const loop = new EvictionLoop(manager, {
    clock,
    ready: () => node.ready(),
    isClean: ({ metadata }) => clean.has(metadata.name),
    note: (text, error) => (error === undefined ? node.notes.push(text) : failures.push(errorText(error))),
    signal: stop.signal,
  });
  return { clock, failures, stop, clean, loop };
}

function short(...names: readonly string[]): FakeNode {
  const node = new FakeNode();
  node.pods = names.map((name) => pod(name));
  node.statisticsOfPods = node.pods.map((one, index) => statisticsOf(one, { memory: 100 - index }));
  node.node = memory("50Mi");
  return node;
}

test("the next pod goes only once the first has given back what it held", async () => {
  const node = short("a", "b");
  const { clock, clean, loop } = looping(node, node.manager(hard));
  const rounds = loop.run();
  await clock.advance(5_000);
  expect(node.names).toEqual(["a"]);
  clean.add("a");
  await clock.advance(1_000);
  expect(node.names).toEqual(["a", "b"]);
  node.node = memory("4Gi");
  clean.add("b");
  await clock.advance(1_000);
  await rounds;
  expect(node.names).toEqual(["a", "b"]);
});

test("a pod that is never clean is waited for 30 s", async () => {
  const node = short("a", "b");
  const { clock, loop } = looping(node, node.manager(hard));
  void loop.run();
  await clock.advance(29_900);
  expect(node.names).toEqual(["a"]);
  await clock.advance(100);
  expect(node.names).toEqual(["a", "b"]);
  expect(node.notes).toEqual(["timed out waiting for pods to be cleaned up"]);
});

test("callers during rounds wait for the same rounds", async () => {
  const node = short("a", "b");
  const { clock, clean, loop } = looping(node, node.manager(hard));
  const first = loop.run();
  expect(loop.run()).toBe(first);
  await clock.settle();
  node.node = memory("4Gi");
  clean.add("a");
  await clock.advance(1_000);
  await first;
  expect(node.names).toEqual(["a"]);
});

test("a failing round is reported, and the next one runs", async () => {
  const node = short("a");
  const { failures, loop, clock, clean } = looping(node, node.manager(hard));
  node.failing = { layout: true };
  await loop.run();
  expect(failures).toEqual(["no such device"]);
  expect(loop.failure).toBe("no such device");
  node.failing = {};
  const rounds = loop.run();
  await clock.advance(0);
  expect(node.names).toEqual(["a"]);
  clean.add("a");
  await clock.advance(1_000);
  await rounds;
  expect(loop.failure).toBeUndefined();
});

test("no round begins before an earlier agent's victims have ended, and a failure of that is reported", async () => {
  const node = short("a");
  const { failures, loop, clock } = looping(node, node.manager(hard));
  node.ready = async () => {
    throw new Error("the runtime is away");
  };
  await loop.run();
  expect({ evicted: node.names, failures }).toEqual({ evicted: [], failures: ["the runtime is away"] });
  let over = (): void => undefined;
  node.ready = () =>
    new Promise((resolve) => {
      over = resolve;
    });
  void loop.run();
  await clock.advance(5_000);
  expect(node.names).toEqual([]);
  over();
  await clock.advance(0);
  expect(node.names).toEqual(["a"]);
});

test("an agent that stops ends the waiting", async () => {
  const node = short("a");
  const { clock, failures, loop, stop } = looping(node, node.manager(hard));
  const rounds = loop.run();
  await clock.advance(2_000);
  stop.abort(new Error("the agent stops"));
  await rounds;
  expect(failures).toEqual([]);
});

test("a dry run evicts no pod and waits for none", async () => {
  const node = short("a", "b");
  const { loop } = looping(node, node.manager(hard, { dryRun: true }));
  await loop.run();
  expect(node.names).toEqual(["a"]);
});

describe("a pod of thousands of processes", () => {
  const pids = { evictionHard: { "pid.available": "1k" } };

  function bombed(): FakeNode {
    const node = new FakeNode();
    const [bystander, bomb] = [pod("bystander"), pod("bomb")];
    node.pods = [bystander, bomb];
    node.statisticsOfPods = [statisticsOf(bystander, { processes: 2 }), statisticsOf(bomb, { processes: 2_500 })];
    node.node = { rlimit: { maxpid: 32_768, curproc: 32_700 } };
    return node;
  }

  test("evicts no other pod while its zombies wait for init", async () => {
    const node = bombed();
    const { clock, clean, loop } = looping(node, node.manager(pids));
    const rounds = loop.run();
    await clock.advance(0);
    node.dead = 2_500;
    clean.add("bomb");
    await clock.advance(1_000);
    await rounds;
    await loop.run();
    expect(node.names).toEqual(["bomb"]);
    expect(node.notes.at(-1)).toBe(
      "2500 processes are dead and wait for the machine's init; without them there is no shortage",
    );
  });

  test("is followed by the next one when there are too many without the dead too", async () => {
    const node = bombed();
    node.dead = 500;
    const { clock, clean, loop } = looping(node, node.manager(pids));
    void loop.run();
    await clock.advance(0);
    clean.add("bomb");
    await clock.advance(1_000);
    expect(node.names).toEqual(["bomb", "bystander"]);
  });
});

/** A pod that cannot be read, whatever it is asked for. */
function unreadable(name: string): ReturnType<typeof pod> {
  return Object.defineProperty(pod(name), "spec", {
    get: () => {
      throw new Error(`pod ${name} throws`);
    },
  });
}

test.each([0, 1, 2])("the pod in place %i throws when pods are ranked: another one is evicted", async (place) => {
  const node = short("a", "b", "c");
  const left = node.pods.filter((_, index) => index !== place).map(({ metadata }) => metadata.name);
  node.pods = node.pods.map((one, index) => (index === place ? unreadable(one.metadata.name) : one));
  const { clock, failures, loop } = looping(node, node.manager(hard));
  void loop.run();
  await clock.advance(0);
  expect({ evicted: node.names, failures }).toEqual({ evicted: [left[0]], failures: [] });
  expect(node.notes.join()).toContain("is left out");
});

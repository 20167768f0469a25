import { describe, expect, test } from "@jest/globals";
import { rejectedByPressure } from "../../../src/internal.js";
import { bytes, CRITICAL, dedicated, disk, FakeNode, memory, pod, statisticsOf, withPriority } from "../pods.js";

const hungry = pod("hungry", { memory: "100Mi" });
const modest = pod("modest", { memory: "1Gi" });
const vital = pod("vital", {}, withPriority(CRITICAL));

/** A node out of memory: `hungry` is over its request, `modest` within, `vital` may not go. */
function shortOfMemory(): FakeNode {
  const node = new FakeNode();
  node.pods = [vital, modest, hungry];
  node.node = memory("50Mi");
  node.statisticsOfPods = [
    statisticsOf(vital, { memory: bytes("4Gi") }),
    statisticsOf(modest, { memory: bytes("900Mi") }),
    statisticsOf(hungry, { memory: bytes("300Mi") }),
  ];
  return node;
}

const hard = { evictionHard: { "memory.available": "100Mi" } };

describe("one round", () => {
  test("evicts one pod, the one over its request, with the reason", async () => {
    const node = shortOfMemory();
    await node.manager(hard).synchronize();
    expect(node.names).toEqual(["hungry"]);
    expect(node.evicted[0]).toMatchObject({
      signal: "memory.available",
      gracePeriodSeconds: 1,
      disruption: true,
      message:
        "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. " +
        "Container main was using 300Mi, request is 100Mi, has larger consumption of memory. ",
      annotations: {
        offending_containers: "main",
        offending_containers_usage: "300Mi",
        starved_resource: "memory",
      },
    });
    expect(node.evicted[0]?.considered).toEqual([
      {
        candidate: "pod/default/hungry",
        verdict: "victim",
        why: "over its request; uses 300Mi memory of 100Mi requested; priority 0",
      },
      {
        candidate: "pod/default/modest",
        verdict: "spared",
        why: "uses 900Mi memory of 1Gi requested; priority 0",
      },
      { candidate: "pod/default/vital", verdict: "protected", why: "critical: priority 2000000000" },
    ]);
  });

  test("shows its condition before the kill has ended, and keeps pods without requests out", async () => {
    const node = shortOfMemory();
    const manager = node.manager(hard);
    let shown: readonly string[] = [];
    node.evict = async () => {
      shown = manager.conditions;
    };
    await manager.synchronize();
    expect(shown).toEqual(["MemoryPressure"]);
    expect(rejectedByPressure(pod("late"), manager.conditions)).toEqual({
      reason: "Evicted",
      message: "The node had condition: [MemoryPressure]. ",
    });
  });

  test("no pod is evicted when only critical pods are left", async () => {
    const node = shortOfMemory();
    node.pods = [vital];
    expect(await node.manager(hard).synchronize()).toEqual([]);
    expect(node.events).toEqual(["memory"]);
    expect(node.notes).toEqual(["unable to evict any pods from the node"]);
  });

  test("old statistics evict no second pod", async () => {
    const node = shortOfMemory();
    node.node = { memory: { ...memory("50Mi").memory, time: "2026-01-01T00:00:00Z" } };
    const manager = node.manager(hard);
    await manager.synchronize();
    node.now = 10_000;
    await manager.synchronize();
    expect(node.names).toEqual(["hungry"]);
    node.node = { memory: { ...memory("50Mi").memory, time: "2026-01-01T00:00:20Z" } };
    node.now = 20_000;
    await manager.synchronize();
    expect(node.names).toEqual(["hungry", "modest"]);
  });

  test("statistics that cannot be read change nothing", async () => {
    const node = shortOfMemory();
    const manager = node.manager(hard);
    node.failing = { statistics: true };
    expect(await manager.synchronize()).toEqual([]);
    expect(manager.conditions).toEqual([]);
    expect(node.names).toEqual([]);
  });

  test("an unknown layout of the disks fails the round, and the next one reads it again", async () => {
    const node = shortOfMemory();
    const manager = node.manager(hard);
    node.failing = { layout: true };
    await expect(manager.synchronize()).rejects.toThrow("no such device");
    node.failing = {};
    await manager.synchronize();
    expect(node.names).toEqual(["hungry"]);
  });

  test("a pod that will not die counts as evicted, and is chosen again", async () => {
    const node = shortOfMemory();
    node.failing = { kill: true };
    const manager = node.manager(hard);
    expect(await manager.synchronize()).toEqual([hungry]);
    node.now = 30_000;
    await manager.synchronize();
    expect(node.names).toEqual(["hungry", "hungry"]);
  });
});

describe("disks", () => {
  const writer = pod("writer", { "ephemeral-storage": "1Gi" });
  const small = pod("small");

  function fullDisk(): FakeNode {
    const node = new FakeNode();
    node.pods = [small, writer];
    node.node = disk("5Gi");
    node.statisticsOfPods = [
      statisticsOf(small, { disk: bytes("1Mi") }),
      statisticsOf(writer, { disk: bytes("20Gi") }),
    ];
    return node;
  }
  const thresholds = { evictionHard: { "nodefs.available": "10%" } };

  test("dead containers and unused images go first, and no pod when that is enough", async () => {
    const node = fullDisk();
    node.onReclaim = (what) => {
      if (what === "images") node.node = disk("40Gi");
    };
    expect(await node.manager(thresholds).synchronize()).toEqual([]);
    expect(node.reclaimed).toEqual(["containers", "images"]);
    expect(node.names).toEqual([]);
  });

  test("a pod goes when that is not enough", async () => {
    const node = fullDisk();
    await node.manager(thresholds).synchronize();
    expect(node.names).toEqual(["writer"]);
  });

  test("with a dedicated disk for images nothing can be reclaimed for nodefs", async () => {
    const node = new FakeNode(dedicated);
    Object.assign(node, { pods: [small], node: disk("5Gi") });
    await node.manager(thresholds).synchronize();
    expect(node.reclaimed).toEqual([]);
    expect(node.names).toEqual(["small"]);
  });

  test("an emptyDir over its limit goes first, printed canonically, and ends the round", async () => {
    const over = pod("over", {}, { spec: { volumes: [{ name: "data", emptyDir: { sizeLimit: "1024Mi" } }] } });
    const node = fullDisk();
    node.pods = [over, ...node.pods];
    const volume = [{ name: "data", usedBytes: bytes("2Gi") }];
    node.statisticsOfPods = [{ ...statisticsOf(over, {}), volume }, ...node.statisticsOfPods];
    await node.manager(thresholds).synchronize();
    expect(node.evicted).toMatchObject([
      {
        signal: "emptydirfs.limit",
        message: 'Usage of EmptyDir volume "data" exceeds the limit "1Gi". ',
        gracePeriodSeconds: 1,
        disruption: false,
      },
    ]);
    expect(node.reclaimed).toEqual([]);
  });
});

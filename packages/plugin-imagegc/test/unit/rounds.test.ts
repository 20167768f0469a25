import type { Decision } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { ContainerCollector, type ContainerPorts } from "../../src/container-collector.js";
import { kubeletContainerPolicy } from "../../src/internal.js";
import { Rounds } from "../../src/rounds.js";
import { MIB, seen, use } from "./images/images.js";
import { type NodeParts, TestNode } from "./images/test-node.js";

const signal = new AbortController().signal;

function open(parts: NodeParts = {}) {
  const node = new TestNode(parts);
  const events: string[] = [];
  const lines: string[] = [];
  const decisions: Omit<Decision, "at" | "plugin">[] = [];
  let looks = 0;
  const listing: { error?: Error } = {};
  const line = (first: unknown, second?: string): void => void lines.push(second ?? String(first));
  const ctx = {
    signal,
    events: {
      node: (type: string, reason: string, message: string) => void events.push(`${type} ${reason}: ${message}`),
      pod: () => {},
    },
    decisions: { record: (decision: Omit<Decision, "at" | "plugin">) => void decisions.push(decision) },
    log: { info: line, error: line, warn: line, debug: line },
    runtime: {
      fileSystems: async () => {
        const usage = await node.usage();
        return { image: { ...usage, availableBytes: usage.availableBytes + node.gone.length * 15 * MIB } };
      },
    },
  };
  const nothing: Partial<ContainerPorts> = {
    now: () => 0,
    containers: async () => {
      if (listing.error !== undefined) throw listing.error;
      return [];
    },
    sandboxes: async () => [],
    pods: () => ({ allSourcesReady: false, isDeleted: () => false, isTerminated: () => false }),
    deadLogLinks: async () => [],
  };
  const containers = new ContainerCollector(nothing as ContainerPorts, kubeletContainerPolicy);
  const directories = { uids: [] as readonly string[], filled: new Set<string>(), gauges: [0, 0] };
  const content = (uid: string) => (directories.filled.has(uid) ? "filled" : "empty");
  const volume = (uid: string) => ({ plugin: "csi", name: "disk", path: "/disk", content: content(uid) }) as const;
  const rounds = new Rounds({
    ctx: ctx as never,
    images: node.collector,
    containers,
    directories: {
      pods: () => ({ allSourcesReady: true, isDeleted: () => true }),
      directories: async () => {
        if (listing.error !== undefined) throw listing.error;
        return directories.uids;
      },
      directory: async (uid) => ({ uid, path: `/pods/${uid}`, volumes: [volume(uid)], mounts: [] }),
      removeDirectory: async () => {},
      running: async () => new Set(),
    },
    orphans: {
      cleaned: (count) => {
        directories.gauges[0] = count;
      },
      failed: (count) => {
        directories.gauges[1] = count;
      },
    },
    strategy: "lru",
    looked: () => void looks++,
  });
  return { node, rounds, events, lines, decisions, listing, directories, looks: () => looks };
}

describe("a round of image garbage collection", () => {
  test("that removes images reports sizes and the disk, with a decision each", async () => {
    const { rounds, lines, decisions, events, looks } = open({
      images: [seen("a"), seen("b")],
      policy: { lowThresholdPercent: 85 },
    });
    await rounds.images();
    expect(lines.at(-1)).toMatch(/^Image garbage collection failed once: Insufficient free disk space/);
    expect(lines[0]).toBe("image gc: removed 2 images, 20.0 MiB by their sizes, 30.0 MiB on disk");
    expect(decisions.map(({ subject }) => subject)).toEqual(["image/example/a:1", "image/example/b:1"]);
    expect(events.length).toBe(1);
    expect(looks()).toBe(1);
  });

  test("that fails has its own event at once, and ImageGCFailed from the second time in a row on", async () => {
    const { rounds, events, node } = open();
    node.disk = { capacityBytes: 0, availableBytes: 0 };
    const text = "invalid capacity 0 on image filesystem";
    await rounds.images();
    expect(events).toEqual([`Warning InvalidDiskCapacity: ${text}`]);
    await rounds.images();
    expect(events.slice(1)).toEqual([`Warning InvalidDiskCapacity: ${text}`, `Warning ImageGCFailed: ${text}`]);
  });

  test("that fails differently for each of many images is reported with the first errors", async () => {
    const images = Array.from({ length: 1_000 }, (_, index) => seen(`i${index}`));
    const { rounds, events, node, decisions } = open({ images });
    node.removing = (id) => Promise.reject(new Error(`${id} is busy: ${"x".repeat(10_000)}`));
    await rounds.images();
    await rounds.images();
    const [event = ""] = events.filter((text) => text.startsWith("Warning ImageGCFailed"));
    expect(event).toContain("errors in image deletion: [i0 is busy: xxx");
    expect(event).toMatch(/\.\.\. \(\d+ characters more\)$/);
    expect(event.length).toBeLessThan(4_300);
    expect(decisions[0]?.considered[0]?.why).toMatch(/^i0 is busy: x{1012}\.\.\. \(8988 characters more\)$/);
  });

  test("that works in between resets the count", async () => {
    const { rounds, events, node } = open();
    const well = { capacityBytes: 100, availableBytes: 100 };
    for (const disk of [new Error("no stats"), well, new Error("no stats")]) {
      node.disk = disk;
      await rounds.images();
    }
    expect(events).toEqual([]);
    await rounds.images();
    expect(events).toEqual(["Warning ImageGCFailed: no stats"]);
  });

  test("on an unreadable node fails, and the next one works", async () => {
    const { rounds, node, lines } = open({ images: [seen("a")], policy: { lowThresholdPercent: 85 } });
    const { images } = node;
    node.images = () => Promise.reject(new Error("containerd is down"));
    await rounds.images();
    expect(lines).toEqual(["Image garbage collection failed once: containerd is down"]);
    expect(rounds.health()).toEqual({ ok: true, message: "failed: containerd is down" });
    node.images = images;
    node.disk = { capacityBytes: 1000 * MIB, availableBytes: 900 * MIB };
    await rounds.images();
    expect(rounds.health()).toEqual({ ok: true, message: "1 images, 0 removed, 10% used before" });
  });
});

test("a failed detection is only logged, however often", async () => {
  const { rounds, node, events, lines } = open();
  node.uses = () => Promise.reject(new Error("containerd is down"));
  await rounds.detection();
  await rounds.detection();
  expect(events).toEqual([]);
  expect(lines).toHaveLength(2);
});

test("a round of container garbage collection that fails is an event every time", async () => {
  const { rounds, events, listing } = open();
  listing.error = new Error("containerd is down");
  await rounds.deadContainers(signal);
  await rounds.deadContainers(signal);
  listing.error = undefined as never;
  await rounds.deadContainers(signal);
  expect(events).toEqual([
    "Warning ContainerGCFailed: containerd is down",
    "Warning ContainerGCFailed: containerd is down",
  ]);
});

describe("a sweep of pod directories", () => {
  test("reports each removal, and what stays only once", async () => {
    const { rounds, lines, directories, events } = open();
    directories.uids = ["a", "b"];
    directories.filled.add("b");
    await rounds.podDirectories(signal);
    expect(lines).toEqual([
      "container gc: removed the directory of pod a",
      'orphaned pod "b" found, but failed to rmdir() volume at path /disk: directory not empty',
    ]);
    expect(directories.gauges).toEqual([2, 1]);
    directories.uids = ["b"];
    await rounds.podDirectories(signal);
    expect(lines).toHaveLength(2);
    expect(directories.gauges).toEqual([1, 1]);
    expect(events).toEqual([]);
  });

  test("that fails is logged each time and is no event, as in the kubelet", async () => {
    const { rounds, listing, lines, events } = open();
    listing.error = new Error("input/output error");
    await rounds.podDirectories(signal);
    expect(lines).toEqual(["Cleanup of orphaned pod directories failed once: input/output error"]);
    expect(events).toEqual([]);
  });
});

describe("for disk pressure", () => {
  test("all unused images are removed, and the freed space is reported", async () => {
    const { rounds, node } = open({ images: [seen("a"), seen("b"), seen("c")] });
    node.users = [use("c")];
    expect(await rounds.reclaimImages(signal, "eviction")).toEqual({ removed: 2, freedBytes: 30 * MIB });
    expect(node.gone).toEqual(["a", "b"]);
  });

  test("an error is the asker's to report", async () => {
    const { rounds, node, events } = open({ images: [seen("a")] });
    node.removing = () => Promise.reject(new Error("busy"));
    await expect(rounds.reclaimImages(signal, "eviction")).rejects.toThrow("errors in image deletion: busy");
    expect(events).toEqual([]);
  });

  test("containers that cannot be listed are an error of the reclaim", async () => {
    const { rounds, listing } = open();
    listing.error = new Error("containerd is down");
    await expect(rounds.reclaimContainers(signal)).rejects.toThrow("containerd is down");
  });
});

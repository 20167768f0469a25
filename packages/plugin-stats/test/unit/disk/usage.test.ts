import type { HostFileSystem } from "@hooklet/core/subsystem";
import { describe, expect, test } from "@jest/globals";
import { containerDisk, type DiskInput, type Measured, type PodDisk, podDisk, sumOf } from "../../../src/disk/usage.js";

const measured = (usedBytes: number, inodesUsed?: number, at = 5_000): Measured => ({ at, usedBytes, inodesUsed });
const fileSystem = (capacityBytes: number): HostFileSystem =>
  ({ capacityBytes, availableBytes: capacityBytes / 2, inodes: 100, inodesFree: 40 }) as HostFileSystem;
const nothing: PodDisk = { logs: new Map(), podLogs: undefined, volumes: [], ownFiles: undefined };
const input = (parts: Partial<DiskInput>): DiskInput => ({
  disk: undefined,
  layers: new Map(),
  nodeFs: undefined,
  containerFs: undefined,
  ...parts,
});

describe("a container", () => {
  test("has its writable layer on the file system of images, its logs on the node's", () => {
    const found = containerDisk(
      input({
        disk: { ...nothing, logs: new Map([["main", measured(20, 2)]]) },
        layers: new Map([["id1", measured(10, 1)]]),
        nodeFs: fileSystem(1000),
        containerFs: fileSystem(500),
      }),
      "main",
      "id1",
    );
    const time = "1970-01-01T00:00:05Z";
    const inodes = { inodesFree: 40, inodes: 100 };
    expect(found).toEqual({
      rootfs: { time, availableBytes: 250, capacityBytes: 500, usedBytes: 10, ...inodes, inodesUsed: 1 },
      logs: { time, availableBytes: 500, capacityBytes: 1000, usedBytes: 20, ...inodes, inodesUsed: 2 },
    });
  });

  test("that was not measured has neither; unknown values of a file system are left out", () => {
    expect(containerDisk(input({}), "main", "id1")).toEqual({});
    const layers = new Map([["id1", measured(10)]]);
    expect(containerDisk(input({ layers }), "main", "id1")).toEqual({
      rootfs: { time: "1970-01-01T00:00:05Z", usedBytes: 10 },
    });
  });
});

describe("a pod", () => {
  const all: PodDisk = {
    logs: new Map([["main", measured(1, 1)]]),
    podLogs: measured(2, 1),
    volumes: [
      { ...measured(4, 1), name: "scratch", ephemeral: true, fileSystem: undefined },
      { ...measured(8, 1), name: "data", ephemeral: false, fileSystem: fileSystem(64) },
    ],
    ownFiles: measured(16, 1),
  };

  test("stores layers of what runs, logs, its own logs, volumes on the node's disk and its hosts file", () => {
    const layers = new Map([
      ["id1", measured(32, 1)],
      ["gone", measured(64, 1)],
    ]);
    const found = podDisk(input({ disk: all, layers, nodeFs: fileSystem(1000) }), ["id1", "id2"]);
    expect(found["ephemeral-storage"]).toMatchObject({
      usedBytes: 1 + 2 + 4 + 16 + 32,
      inodesUsed: 5,
      capacityBytes: 1000,
    });
    expect(found.volume).toMatchObject([
      { name: "scratch", usedBytes: 4, capacityBytes: 1000 },
      { name: "data", usedBytes: 8, capacityBytes: 64 },
    ]);
  });

  test("that was not measured has nothing, one without anything has no sum", () => {
    expect(podDisk(input({}), ["id1"])).toEqual({});
    expect(podDisk(input({ disk: nothing }), [])).toEqual({});
  });
});

describe("a sum", () => {
  test("is as old as the oldest of its parts; what has no inodes counts none", () => {
    expect(sumOf([measured(1, 3, 2_000), measured(2, undefined, 1_000)])).toEqual({
      at: 1_000,
      usedBytes: 3,
      inodesUsed: 3,
    });
  });

  test("of nothing is none", () => {
    expect(sumOf([])).toBeUndefined();
  });
});

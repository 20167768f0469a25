import { describe, expect, test } from "@jest/globals";
import { type DirectoryPorts, findOrphans, sweepDirectories } from "../../src/orphaned-pod-directories.js";

const signal = new AbortController().signal;
const csi = { plugin: "kubernetes.io~csi", name: "disk", path: "/disk", content: "filled" } as const;

class TestDisk implements DirectoryPorts {
  uids: readonly string[] = ["gone", "here"];
  ready = true;
  runs = new Set<string>();
  filled = new Set<string>();
  failing = new Map<string, string>();
  readonly calls: string[] = [];

  pods = () => ({ allSourcesReady: this.ready, isDeleted: (uid: string) => uid !== "here" });
  directories = async () => this.uids;
  directory = async (uid: string) => {
    this.calls.push(`look ${uid}`);
    if (this.failing.get(uid) === "look") throw new Error("input/output error");
    return { uid, path: `/pods/${uid}`, volumes: this.filled.has(uid) ? [csi] : [], mounts: [] };
  };
  removeDirectory = async (uid: string) => {
    this.calls.push(`remove ${uid}`);
    if (this.failing.get(uid) === "remove") throw new Error("device busy");
  };
  running = async () => {
    this.calls.push("running");
    return this.runs;
  };
}

test("a node without orphans asks the runtime nothing", async () => {
  const disk = new TestDisk();
  disk.uids = ["here"];
  expect(await sweepDirectories(disk, signal)).toEqual({ removed: [], staying: [] });
  disk.uids = ["gone"];
  disk.ready = false;
  await sweepDirectories(disk, signal);
  expect(disk.calls).toEqual([]);
});

test("directories of removed pods are removed; running pods keep theirs, unread", async () => {
  const disk = new TestDisk();
  disk.uids = ["here", "runs", "a", "b"];
  disk.runs = new Set(["runs"]);
  expect(await sweepDirectories(disk, signal)).toEqual({ removed: ["a", "b"], staying: [] });
  expect(disk.calls).toEqual(["running", "look a", "look b", "remove a", "remove b"]);
});

describe("one that cannot be removed stays, is reported, and does not stop the sweep", () => {
  test.each([
    {
      name: "a volume with data in it",
      how: (disk: TestDisk) => disk.filled.add("a"),
      why: "failed to rmdir() volume at path /disk: directory not empty",
    },
    {
      name: "a directory that cannot be read",
      how: (disk: TestDisk) => disk.failing.set("a", "look"),
      why: "error occurred during reading volume dir from disk: input/output error",
    },
    {
      name: "a removal that fails",
      how: (disk: TestDisk) => disk.failing.set("a", "remove"),
      why: "error occurred when trying to remove the pod directory: device busy",
    },
  ])("$name", async ({ how, why }) => {
    const disk = new TestDisk();
    disk.uids = ["a", "b"];
    how(disk);
    const staying = [{ uid: "a", why: `orphaned pod "a" found, but ${why}` }];
    expect(await sweepDirectories(disk, signal)).toEqual({ removed: ["b"], staying });
  });
});

test("finding orphans removes nothing", async () => {
  const disk = new TestDisk();
  expect(await findOrphans(disk)).toEqual({ going: ["gone"], staying: [] });
  expect(disk.calls).toEqual(["running", "look gone"]);
});

test("an agent that stops ends the sweep before the next removal", async () => {
  const disk = new TestDisk();
  disk.uids = ["a", "b"];
  const stop = new AbortController();
  disk.removeDirectory = async (uid) => {
    disk.calls.push(`remove ${uid}`);
    stop.abort();
  };
  expect((await sweepDirectories(disk, stop.signal)).removed).toEqual(["a"]);
});

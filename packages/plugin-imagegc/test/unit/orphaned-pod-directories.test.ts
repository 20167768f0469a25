import type { PodVolumeDirectory } from "@hooklet/core/subsystem";
import { describe, expect, test } from "@jest/globals";
import { orphansOf, reasonsToStay } from "../../src/internal.js";

const volume = (plugin: string, content: PodVolumeDirectory["content"]): PodVolumeDirectory => ({
  plugin: `kubernetes.io~${plugin}`,
  name: "data",
  path: `/pods/u1/volumes/kubernetes.io~${plugin}/data`,
  content,
});
const staying = (volumes: readonly PodVolumeDirectory[], mounts: readonly string[] = []): readonly string[] =>
  reasonsToStay({ uid: "u1", volumes, mounts });

describe("a directory is an orphan", () => {
  const isDeleted = (uid: string): boolean => uid !== "here";

  test("when its pod is gone and nothing of it runs", () => {
    expect(orphansOf(["here", "runs", "gone"], { allSourcesReady: true, isDeleted }, new Set(["runs"]))).toEqual([
      "gone",
    ]);
  });

  test("never before all sources of pods are read", () => {
    expect(orphansOf(["gone"], { allSourcesReady: false, isDeleted }, new Set())).toEqual([]);
  });
});

describe("the directory of an orphan", () => {
  test.each(["empty-dir", "configmap", "secret", "projected", "downward-api"])(
    "goes with what is in its %s volumes",
    (plugin) => expect(staying([volume(plugin, "filled"), volume(plugin, "empty")])).toEqual([]),
  );

  test("goes with an emptyDir in memory, which the agent mounted itself", () => {
    expect(staying([volume("empty-dir", "mounted")])).toEqual([]);
  });

  test.each(["csi", "persistent-volume-claim", "nfs", "a driver's"])(
    "goes with the empty mount point of %s",
    (plugin) => expect(staying([volume(plugin, "empty")])).toEqual([]),
  );

  test("stays with data in it, each volume with the kubelet's message", () => {
    expect(
      staying([volume("csi", "filled"), volume("empty-dir", "filled"), volume("local-volume", "no directory")]),
    ).toEqual([
      'orphaned pod "u1" found, but failed to rmdir() volume at path /pods/u1/volumes/kubernetes.io~csi/data: directory not empty',
      'orphaned pod "u1" found, but failed to rmdir() volume at path /pods/u1/volumes/kubernetes.io~local-volume/data: not a directory',
    ]);
  });

  test("stays while anything is mounted in it, in an emptyDir too", () => {
    const mounts = [
      "/pods/u1/volumes/kubernetes.io~csi/data/mount",
      "/pods/u1/volumes/kubernetes.io~empty-dir/data/left",
    ];
    expect(staying([volume("empty-dir", "filled"), volume("csi", "filled")], mounts)).toEqual([
      `orphaned pod "u1" found, but volumes are not cleaned up: mounted at ${mounts.join(", ")}`,
    ]);
  });
});

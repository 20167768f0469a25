import { expect, test } from "@jest/globals";
import { logFamilies, logSamples, volumeDuration } from "../../../src/metrics/disk.js";
import { aPod } from "../world.js";

test("each container's logs have their size on disk; what was not measured has none", () => {
  const used = { at: 0, usedBytes: 7, inodesUsed: 1 };
  const disk = { logs: new Map([["main", used]]), podLogs: undefined, volumes: [], ownFiles: undefined };
  const containers = ["main", "other"].map((name) => ({ name, id: name, startedAt: 0 }));
  const pods = [aPod("a"), aPod("unknown")].map((pod) => ({ pod, containers }));
  expect(logSamples({ disks: new Map([["uid-a", disk]]), layers: new Map() }, pods)).toEqual({
    kubelet_container_log_filesystem_used_bytes: [
      { labels: { container: "main", namespace: "default", pod: "a", uid: "uid-a" }, value: 7 },
    ],
  });
  expect(logFamilies).toEqual([
    {
      name: "kubelet_container_log_filesystem_used_bytes",
      type: "gauge",
      help: "[ALPHA] Bytes used by the container's logs on the filesystem.",
      labels: ["container", "namespace", "pod", "uid"],
    },
  ]);
});

test("the time that a volume takes is the kubelet's histogram, of emptyDirs", () => {
  const made: unknown[] = [];
  const took = volumeDuration({
    histogram: (options: object) => {
      made.push(options);
      return { observe: (...of: unknown[]) => made.push(of) };
    },
  } as never);
  took(1.5);
  expect(made).toEqual([
    {
      name: "kubelet_volume_metric_collection_duration_seconds",
      help: "Duration in seconds to calculate volume stats",
      labels: ["metric_source"],
    },
    [1.5, { metric_source: "kubernetes.io/empty-dir" }],
  ]);
});

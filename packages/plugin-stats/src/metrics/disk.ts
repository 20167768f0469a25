/** The kubelet's metrics of what containers have on disk, and of how long measuring it takes. */
import type { Metrics } from "@hooklet/core";
import type { CollectOptions } from "@hooklet/core/subsystem";
import type { DiskReading } from "../disk/measurer.js";
import type { MeasuredPod } from "../summary.js";
import { emptySamples, push, type Samples } from "./samples.js";

export const logFamilies: readonly CollectOptions[] = [
  {
    name: "kubelet_container_log_filesystem_used_bytes",
    type: "gauge",
    help: "[ALPHA] Bytes used by the container's logs on the filesystem.",
    labels: ["container", "namespace", "pod", "uid"],
  },
];

export function logSamples({ disks }: DiskReading, pods: readonly MeasuredPod[]): Samples {
  const samples = emptySamples(logFamilies);
  for (const { pod, containers } of pods) {
    const { uid, name, namespace } = pod.metadata;
    for (const { name: container } of containers) {
      const used = disks.get(uid)?.logs.get(container)?.usedBytes;
      push(samples, "kubelet_container_log_filesystem_used_bytes", used, { container, namespace, pod: name, uid });
    }
  }
  return samples;
}

/** The kubelet's name for the only volumes that are measured. */
const EMPTY_DIR = "kubernetes.io/empty-dir";

/** How long the disk usage of one volume took, seconds. */
export function volumeDuration(metrics: Metrics): (seconds: number) => void {
  const volumes = metrics.histogram({
    name: "kubelet_volume_metric_collection_duration_seconds",
    help: "Duration in seconds to calculate volume stats",
    labels: ["metric_source"],
  });
  return (seconds) => volumes.observe(seconds, { metric_source: EMPTY_DIR });
}

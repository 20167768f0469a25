/** The kubelet's metrics of what containers have on disk. */
import type { CollectOptions } from "@hooklet/core";
import type { DiskReading } from "../disk/measurer.js";
import { emptySamples, push, type Samples } from "./samples.js";
import type { MeasuredPod } from "./summary.js";

export const diskFamilies: readonly CollectOptions[] = [
  {
    name: "kubelet_container_log_filesystem_used_bytes",
    type: "gauge",
    help: "[ALPHA] Bytes used by the container's logs on the filesystem.",
    labels: ["container", "namespace", "pod", "uid"],
  },
];

export function diskSamples({ disks }: DiskReading, pods: readonly MeasuredPod[]): Samples {
  const samples = emptySamples(diskFamilies);
  for (const { pod, containers } of pods) {
    const { uid, name, namespace } = pod.metadata;
    for (const { name: container } of containers) {
      const used = disks.get(uid)?.logs.get(container)?.usedBytes;
      push(samples, "kubelet_container_log_filesystem_used_bytes", used, { container, namespace, pod: name, uid });
    }
  }
  return samples;
}

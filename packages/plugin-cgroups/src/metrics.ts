/** The kubelet's own metrics of cgroups. */
import type { Metrics } from "@hooklet/core";
import type { CgroupVersion } from "./host/hierarchies.js";

export interface CgroupMetrics {
  /** One operation of the manager, seconds. */
  readonly took: (operation: string, seconds: number) => void;
  readonly version: (version: CgroupVersion) => void;
  /** How long the disk usage of one volume took, seconds. */
  readonly volumeTook: (seconds: number) => void;
}

/** The kubelet's name for the only volumes that are measured. */
const EMPTY_DIR = "kubernetes.io/empty-dir";

export function createMetrics(metrics: Metrics): CgroupMetrics {
  const duration = metrics.histogram({
    name: "kubelet_cgroup_manager_duration_seconds",
    help: "Duration in seconds for cgroup manager operations. Broken down by method.",
    labels: ["operation_type"],
  });
  const version = metrics.gauge({ name: "kubelet_cgroup_version", help: "cgroup version on the hosts." });
  const volumes = metrics.histogram({
    name: "kubelet_volume_metric_collection_duration_seconds",
    help: "Duration in seconds to calculate volume stats",
    labels: ["metric_source"],
  });
  return {
    took: (operation, seconds) => duration.observe(seconds, { operation_type: operation }),
    version: (found) => version.set(found === "v1" ? 1 : 2),
    volumeTook: (seconds) => volumes.observe(seconds, { metric_source: EMPTY_DIR }),
  };
}

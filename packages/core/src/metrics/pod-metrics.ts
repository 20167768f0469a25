/** The kubelet's own metrics that the life of pods moves. Names, labels and buckets are the kubelet's. */

import type { Metrics } from "../plugin/contract.js";

const DURATION = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const POD_START = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];

type TerminatedType = "container" | "init_container" | "ephemeral_container";

export interface PodMetrics {
  startedPods(): void;
  startedPodErrors(): void;
  startedContainer(type: "container" | "init_container"): void;
  startedContainerError(type: "container" | "init_container", code: string): void;
  /** Once for each end of a container that ran in this life of the agent. */
  terminatedContainer(type: TerminatedType, exitCode: number, reason: string): void;
  orphanedPod(): void;
  podStarted(seconds: number): void;
  workerStart(seconds: number): void;
  sync(operation: "create" | "sync" | "update" | "kill", seconds: number): void;
  runSandbox(handler: string, seconds: number): void;
  containersPerPod(count: number): void;
  runtimeOperation(operation: string, seconds: number, failed: boolean): void;
  /** `interval`: seconds since the relist before it began; `at`: seconds since the epoch. */
  relist(seconds: number, interval: number | undefined, at: number): void;
  sleepTerminatedEarly(): void;
  /** By admission, once for each pod. */
  rejectedPod(reason: string): void;
  /** A pod that was deleted and made again with the same uid. */
  restartedPod(isStatic: boolean): void;
}

export function createPodMetrics(metrics: Metrics): PodMetrics {
  const counter = (name: string, help: string, labels: readonly string[] = []) =>
    metrics.counter({ name, help, labels });
  const seconds = (name: string, help: string, labels: readonly string[] = [], buckets: readonly number[] = DURATION) =>
    metrics.histogram({ name, help, labels, buckets });
  const startedPods = counter("kubelet_started_pods_total", "Cumulative number of pods started");
  const startedPodErrors = counter(
    "kubelet_started_pods_errors_total",
    "Cumulative number of errors when starting pods",
  );
  const startedContainers = counter("kubelet_started_containers_total", "Cumulative number of containers started", [
    "container_type",
  ]);
  const terminatedContainers = counter(
    "kubelet_terminated_containers_total",
    "Cumulative number of container terminations.",
    ["container_type", "exit_code", "reason"],
  );
  const containerErrors = counter(
    "kubelet_started_containers_errors_total",
    "Cumulative number of errors when starting containers",
    ["container_type", "code"],
  );
  const orphaned = counter(
    "kubelet_orphaned_runtime_pods_total",
    "Number of pods that have been detected in the container runtime without being already known to the pod worker. This typically indicates the kubelet was restarted while a pod was force deleted in the API or in the local configuration, which is unusual.",
  );
  const podStart = seconds(
    "kubelet_pod_start_duration_seconds",
    "Duration in seconds from kubelet seeing a pod for the first time to the pod starting to run",
    [],
    POD_START,
  );
  const workerStart = seconds(
    "kubelet_pod_worker_start_duration_seconds",
    "Duration in seconds from kubelet seeing a pod to starting a worker.",
  );
  const worker = seconds(
    "kubelet_pod_worker_duration_seconds",
    "Duration in seconds to sync a single pod. Broken down by operation type: create, update, or sync",
    ["operation_type"],
  );
  const sandbox = seconds(
    "kubelet_run_podsandbox_duration_seconds",
    "Duration in seconds of the run_podsandbox operations. Broken down by RuntimeClass.Handler.",
    ["runtime_handler"],
  );
  const perPod = metrics.histogram({
    name: "kubelet_containers_per_pod_count",
    help: "The number of containers per pod.",
    buckets: [1, 2, 4, 8, 16],
  });
  const operations = counter(
    "kubelet_runtime_operations_total",
    "Cumulative number of runtime operations by operation type.",
    ["operation_type"],
  );
  const operationErrors = counter(
    "kubelet_runtime_operations_errors_total",
    "Cumulative number of runtime operation errors by operation type.",
    ["operation_type"],
  );
  const operationTime = seconds(
    "kubelet_runtime_operations_duration_seconds",
    "Duration in seconds of runtime operations. Broken down by operation type.",
    ["operation_type"],
  );
  const relist = seconds("kubelet_pleg_relist_duration_seconds", "Duration in seconds for relisting pods in PLEG.");
  const interval = seconds("kubelet_pleg_relist_interval_seconds", "Interval in seconds between relisting in PLEG.");
  const lastSeen = metrics.gauge({
    name: "kubelet_pleg_last_seen_seconds",
    help: "Timestamp in seconds when PLEG was last seen active.",
  });
  const restarted = counter(
    "kubelet_restarted_pods_total",
    "Number of pods that have been restarted because they were deleted and recreated with the same UID while the kubelet was watching them (common for static pods, extremely uncommon for API pods)",
    ["static"],
  );
  const rejections = counter(
    "kubelet_admission_rejections_total",
    "Cumulative number pod admission rejections by the Kubelet.",
    ["reason"],
  );
  const sleepEnded = counter(
    "kubelet_sleep_action_terminated_early_total",
    "The number of times lifecycle sleep handler got terminated before it finishes",
  );
  return {
    startedPods: () => startedPods.inc(),
    startedPodErrors: () => startedPodErrors.inc(),
    startedContainer: (type) => startedContainers.inc({ container_type: type }),
    startedContainerError: (type, code) => containerErrors.inc({ container_type: type, code }),
    terminatedContainer: (type, exitCode, reason) =>
      terminatedContainers.inc({ container_type: type, exit_code: `${exitCode}`, reason }),
    orphanedPod: () => orphaned.inc(),
    podStarted: (value) => podStart.observe(value),
    workerStart: (value) => workerStart.observe(value),
    sync: (operation, value) => worker.observe(value, { operation_type: operation }),
    runSandbox: (handler, value) => sandbox.observe(value, { runtime_handler: handler }),
    containersPerPod: (count) => perPod.observe(count),
    runtimeOperation: (operation, value, failed) => {
      operations.inc({ operation_type: operation });
      operationTime.observe(value, { operation_type: operation });
      if (failed) operationErrors.inc({ operation_type: operation });
    },
    relist: (value, since, at) => {
      relist.observe(value);
      if (since !== undefined) interval.observe(since);
      lastSeen.set(at);
    },
    restartedPod: (isStatic) => restarted.inc({ static: isStatic ? "true" : "" }),
    rejectedPod: (reason) => rejections.inc({ reason: rejectionReason(reason) }),
    sleepTerminatedEarly: () => sleepEnded.inc(),
  };
}

// The label of `kubelet_admission_rejections_total` (pkg/kubelet recordAdmissionRejection): few values, for any reason of a plugin.

const KNOWN: ReadonlySet<string> = new Set([
  "AppArmor",
  "Evicted",
  "InitContainerRestartPolicyForbidden",
  "InvalidNodeInfo",
  "NodeShutdown",
  "OutOfcpu",
  "OutOfephemeral-storage",
  "OutOfmemory",
  "OutOfpods",
  "PodFeatureUnsupported",
  "PodLevelResourcesNotSupported",
  "PodOSNotSupported",
  "PodOSSelectorNodeLabelDoesNotMatch",
  "SupplementalGroupsPolicyNotSupported",
  "SysctlForbidden",
  "TopologyAffinityError",
  "UnexpectedAdmissionError",
  "UnexpectedPredicateFailureType",
  "UnknownReason",
  "VolumeAttachmentLimitExceeded",
]);

/** The reason itself, `OutOfExtendedResources` for resources beyond the kubelet's own, or `Other`. */
export function rejectionReason(reason: string): string {
  if (KNOWN.has(reason)) return reason;
  return reason.startsWith("OutOf") ? "OutOfExtendedResources" : "Other";
}

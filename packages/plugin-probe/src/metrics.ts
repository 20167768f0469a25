/** The kubelet's prober metrics, on /metrics/probes. */
import type { Metrics, Pod } from "@hooklet/core";
import { kindText, type ProbeKind } from "./types.js";

const PATH = "/metrics/probes";
const RESULTS = { success: "successful", failure: "failed", unknown: "unknown" } as const;

/** The series of one worker. */
export interface WorkerMetrics {
  /** `seconds`: how long the round took. */
  probed(result: keyof typeof RESULTS, seconds: number): void;
  remove(): void;
}

export function createMetrics(metrics: Metrics): (pod: Pod, container: string, kind: ProbeKind) => WorkerMetrics {
  const total = metrics.counter({
    name: "prober_probe_total",
    help: "Cumulative number of a liveness, readiness or startup probe for a container by result.",
    labels: ["probe_type", "result", "container", "pod", "namespace", "pod_uid"],
    path: PATH,
  });
  const duration = metrics.histogram({
    name: "prober_probe_duration_seconds",
    help: "Duration in seconds for a probe response.",
    labels: ["probe_type", "container", "pod", "namespace"],
    path: PATH,
  });
  return (pod, container, kind) => {
    const { name, namespace, uid } = pod.metadata;
    const common = { probe_type: kindText(kind), container, namespace };
    const counted = (result: keyof typeof RESULTS) => ({ ...common, result: RESULTS[result], pod: name, pod_uid: uid });
    const timed = { ...common, pod: workloadName(pod) };
    return {
      probed(result, seconds) {
        total.inc(counted(result));
        if (result !== "failure") duration.observe(seconds, timed);
      },
      remove() {
        for (const result of ["success", "failure", "unknown"] as const) total.remove(counted(result));
        duration.remove(timed);
      },
    };
  };
}

/** The pod's name without what a Deployment or another owner has generated (the kubelet's getPodLabelName). */
function workloadName(pod: Pod): string {
  const { name, generateName, labels } = pod.metadata;
  if (generateName === undefined || generateName === "") return name;
  const base = name.split("-").slice(0, -1).join("-");
  const hash = labels?.["pod-template-hash"];
  return hash === undefined ? base : base.replaceAll(`-${hash}`, "");
}

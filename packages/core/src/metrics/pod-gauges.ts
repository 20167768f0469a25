/** The kubelet's gauges that count pods and containers, computed at each scrape. */

import { isStaticPod, type Pod } from "@hooklet/manifest";
import type { Metrics } from "../plugin/contract.js";

/** What is counted of one pod. */
export interface CountedPod {
  readonly pod: Pod;
  readonly state: {
    readonly sandbox: { readonly kind: string };
    readonly life: { readonly kind: string };
    readonly removal?: { readonly cause: { readonly kind: string } };
    readonly containers: Readonly<Record<string, { readonly kind: string }>>;
  };
}

export interface CountedPods {
  workers(): Iterable<CountedPod>;
}

/** Returns what brings the gauges up to date. */
export function createPodGauges(metrics: Metrics, pods: CountedPods, nodeName: string): () => void {
  const gauge = (name: string, help: string, labels: readonly string[] = []) => metrics.gauge({ name, help, labels });
  const runningPods = gauge("kubelet_running_pods", "Number of pods that have a running pod sandbox");
  const runningContainers = gauge("kubelet_running_containers", "Number of containers currently running", [
    "container_state",
  ]);
  const desired = gauge(
    "kubelet_desired_pods",
    "The number of pods the kubelet is being instructed to run. static is true if the pod is not from the apiserver.",
    ["static"],
  );
  const active = gauge(
    "kubelet_active_pods",
    "The number of pods the kubelet considers active and which are being considered when admitting new pods. static is true if the pod is not from the apiserver.",
    ["static"],
  );
  const working = gauge(
    "kubelet_working_pods",
    "Number of pods the kubelet is actually running, broken down by lifecycle phase, whether the pod is desired, orphaned, or runtime only (also orphaned), and whether the pod is static. An orphaned pod has been removed from local configuration or force deleted in the API and consumes resources that are not otherwise visible.",
    ["config", "lifecycle", "static"],
  );
  const mirror = gauge(
    "kubelet_mirror_pods",
    "The number of mirror pods the kubelet will try to create (one per admitted static pod)",
  );
  const name = gauge("kubelet_node_name", "The node's name. The count is always 1.", ["node"]);
  name.set(1, { node: nodeName });
  mirror.set(0);
  return () => {
    const count = { running: 0, desired: { true: 0, "": 0 }, active: { true: 0, "": 0 } };
    const states = { created: 0, exited: 0, running: 0, unknown: 0 };
    const lives = new Map<string, number>();
    for (const config of ["desired", "orphan", "runtime_only"]) {
      for (const lifecycle of ["sync", "terminated", "terminating"]) {
        for (const key of ["true", ""]) lives.set(`${config}/${lifecycle}/${key}`, 0);
      }
    }
    for (const { state, pod } of pods.workers()) {
      const key = isStaticPod(pod) ? "true" : "";
      if (state.sandbox.kind === "ready" && state.life.kind !== "ended") count.running++;
      if (state.removal === undefined) count.desired[key]++;
      if (state.life.kind === "active" || state.life.kind === "terminating") count.active[key]++;
      const lifecycle =
        state.life.kind === "terminating" ? "terminating" : state.life.kind === "active" ? "sync" : "terminated";
      const config =
        state.removal?.cause.kind === "orphaned" ? "runtime_only" : state.removal === undefined ? "desired" : "orphan";
      const at = `${config}/${lifecycle}/${key}`;
      lives.set(at, (lives.get(at) ?? 0) + 1);
      for (const container of Object.values(state.containers)) {
        if (container.kind === "running") states.running++;
        else if (container.kind === "exited") states.exited++;
      }
    }
    runningPods.set(count.running);
    for (const [state, number] of Object.entries(states)) runningContainers.set(number, { container_state: state });
    for (const key of ["true", ""] as const) {
      desired.set(count.desired[key], { static: key });
      active.set(count.active[key], { static: key });
    }
    for (const [at, number] of lives) {
      const [config = "", lifecycle = "", key = ""] = at.split("/");
      working.set(number, { config, lifecycle, static: key });
    }
  };
}

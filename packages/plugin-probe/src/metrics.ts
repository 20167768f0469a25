/** The kubelet's prober metrics, on /metrics/probes. */
import type { Metrics, Pod } from "@hooklet/core";
import { kindText, type ProbeKind } from "./types.js";

const PATH = "/metrics/probes";
const RESULTS = { success: "successful", failure: "failed", unknown: "unknown" } as const;

const TYPES = { liveness: kindText("liveness"), readiness: kindText("readiness"), startup: kindText("startup") };

/** The series of one worker. */
export interface WorkerMetrics {
  /** `seconds`: how long the round took. */
  probed(result: keyof typeof RESULTS, seconds: number): void;
  remove(): void;
}

export function createMetrics(metrics: Metrics): (pod: Pod, container: string, kind: ProbeKind) => WorkerMetrics {
  const families: Families = {
    total: metrics.counter({
      name: "prober_probe_total",
      help: "Cumulative number of a liveness, readiness or startup probe for a container by result.",
      labels: ["probe_type", "result", "container", "pod", "namespace", "pod_uid"],
      path: PATH,
    }),
    duration: metrics.histogram({
      name: "prober_probe_duration_seconds",
      help: "Duration in seconds for a probe response.",
      labels: ["probe_type", "container", "pod", "namespace"],
      path: PATH,
    }),
  };
  return (pod, container, kind) => new Series(families, pod, container, kind);
}

interface Families {
  readonly total: ReturnType<Metrics["counter"]>;
  readonly duration: ReturnType<Metrics["histogram"]>;
}

/** There is one for every probe: it keeps nothing that it can make again. */
class Series implements WorkerMetrics {
  readonly #type: string;

  constructor(
    private readonly families: Families,
    private readonly pod: Pod,
    private readonly container: string,
    kind: ProbeKind,
  ) {
    this.#type = TYPES[kind];
  }

  probed(result: keyof typeof RESULTS, seconds: number): void {
    this.families.total.inc(this.#counted(result));
    if (result !== "failure") this.families.duration.observe(seconds, this.#timed());
  }

  remove(): void {
    for (const result of ["success", "failure", "unknown"] as const) this.families.total.remove(this.#counted(result));
    this.families.duration.remove(this.#timed());
  }

  #counted(result: keyof typeof RESULTS) {
    const { name, namespace, uid } = this.pod.metadata;
    const { container } = this;
    // In one piece: put together of parts, these took a third of a probe's time.
    return { probe_type: this.#type, container, namespace, result: RESULTS[result], pod: name, pod_uid: uid };
  }

  #timed() {
    const { container, pod } = this;
    return { probe_type: this.#type, container, namespace: pod.metadata.namespace, pod: workloadName(pod) };
  }
}

/** The pod's name without what a Deployment or another owner has generated (the kubelet's getPodLabelName). */
function workloadName(pod: Pod): string {
  const { name, generateName, labels } = pod.metadata;
  if (generateName === undefined || generateName === "") return name;
  const base = name.split("-").slice(0, -1).join("-");
  const hash = labels?.["pod-template-hash"];
  return hash === undefined ? base : base.replaceAll(`-${hash}`, "");
}

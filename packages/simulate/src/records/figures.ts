/** What became of a run, in numbers. Pure. */
import { type FinalState, type SimulationRecord, seconds } from "./record.js";

/** Name -> value; undefined where there was nothing to measure. The order is the one in which they are shown. */
export type FigureTable = Readonly<Record<string, number | undefined>>;

/** Takes the records of a run one by one: its memory does not grow with them, but with the pods. */
export class Figures {
  readonly #counts = new Map<string, number>();
  readonly #applied = new Map<string, number>();
  /** Seconds. */
  readonly #readyAfter: number[] = [];

  add(record: SimulationRecord): void {
    switch (record.kind) {
      case "pod.applied":
        this.#applied.set(record.pod, record.t);
        break;
      case "pod.ready":
        this.#ready(record.pod, record.ready, record.t);
        break;
      case "pod.rejected":
        this.#count("pods rejected");
        break;
      case "pod.preempted":
        this.#count("preempted");
        break;
      case "pod.evicted":
        this.#count("evicted");
        this.#count(`evicted: ${record.qos}`);
        this.#count(`evicted: priority ${record.priority}`);
        break;
      case "pod.removed":
        this.#applied.delete(record.pod);
        break;
      case "container.started":
        this.#count("containers started");
        break;
      case "container.restarted":
        this.#count("restarts");
        break;
      case "container.exited":
        if (record.reason === "OOMKilled") this.#count("oom kills");
        break;
      case "image.pulled":
        this.#count("pulls");
        this.#count("bytes pulled", record.size);
        break;
      case "image.removed":
        this.#count("images removed");
        this.#count("bytes removed", record.size);
        break;
      case "probe.result":
        if (record.result !== "success") this.#count("failed probes");
        break;
      case "device.allocated":
        this.#count("devices given out", record.ids.length);
        for (const node of record.numa) this.#count(`devices: NUMA ${node ?? "unknown"}`);
        if (new Set(record.numa).size > 1) this.#count("devices: over several NUMA nodes");
        break;
      default:
    }
  }

  table({ pods }: FinalState): FigureTable {
    const inPhase = (phase: string): number => pods.filter((pod) => pod.phase === phase).length;
    const sorted = this.#readyAfter.toSorted((a, b) => a - b);
    const detailed = (prefix: string): Record<string, number> =>
      Object.fromEntries(
        [...this.#counts].filter(([name]) => name.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)),
      );
    const count = (name: string): number => this.#counts.get(name) ?? 0;
    return {
      "pods running": inPhase("Running"),
      "pods pending": inPhase("Pending"),
      "pods failed": inPhase("Failed"),
      "pods rejected": count("pods rejected"),
      preempted: count("preempted"),
      evicted: count("evicted"),
      ...detailed("evicted: "),
      "containers started": count("containers started"),
      restarts: count("restarts"),
      "oom kills": count("oom kills"),
      "failed probes": count("failed probes"),
      pulls: count("pulls"),
      "bytes pulled": count("bytes pulled"),
      "images removed": count("images removed"),
      "bytes removed": count("bytes removed"),
      "devices given out": count("devices given out"),
      ...detailed("devices: "),
      "ready p50": quantile(sorted, 0.5),
      "ready p99": quantile(sorted, 0.99),
    };
  }

  #count(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  /** The first time that a pod is ready counts. */
  #ready(pod: string, ready: boolean, t: number): void {
    const applied = this.#applied.get(pod);
    if (!ready || applied === undefined) return;
    this.#applied.delete(pod);
    this.#readyAfter.push(seconds((t - applied) * 1000));
  }
}

/** Nearest rank. */
function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

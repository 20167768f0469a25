/** Records as lines for people. Pure. */
import type { SimulationRecord } from "../records/record.js";
import { bytesText, clockText } from "./clock-text.js";

const TIME_WIDTH = 11;

/** Who: the pod without `default/`, or the node. */
export function subjectOf(record: SimulationRecord): string {
  if ("pod" in record) return shortName(record.pod);
  if (record.kind === "object.applied" || record.kind === "object.removed") {
    return record.object.replace("/default/", "/");
  }
  if (record.kind === "event") return shortName(record.object.replace(/^(pod|node)\//, ""));
  if (record.kind === "decision") return shortName(record.subject.replace(/^(pod|container)\//, ""));
  return "-";
}

export function shortName(pod: string): string {
  return pod.startsWith("default/") ? pod.slice("default/".length) : pod;
}

const SHUTDOWN = {
  begun: "the machine is to go down",
  cancelled: "the machine is not to go down after all",
  off: "the machine goes down",
} as const;

/** What happened, in words. */
export function textOf(record: SimulationRecord): string {
  switch (record.kind) {
    case "pod.applied":
      return "applied";
    case "pod.admitted":
      return "admitted";
    case "pod.rejected":
      return `rejected: ${record.reason}: ${record.message}`;
    case "pod.preempted":
    case "pod.evicted":
      return `${record.kind.slice(4)} (${record.qos}, priority ${record.priority}): ${record.message}`;
    case "pod.ready":
      return record.ready ? "ready" : "not ready";
    case "pod.phase":
      return `phase ${record.phase}${record.reason === undefined ? "" : ` (${record.reason})`}`;
    case "pod.removed":
      return "gone";
    case "container.started":
      return `${record.container} started`;
    case "container.restarted":
      return `${record.container} restarted, attempt ${record.attempt}`;
    case "container.exited":
    case "container.killed":
      return `${record.container} ${record.kind.slice(10)} with ${record.code} (${record.reason})`;
    case "probe.result":
      return `${record.container} ${record.type} probe: ${record.result}${record.output === undefined ? "" : `: ${record.output}`}`;
    case "device.allocated":
      return `${record.container} gets ${record.resource}: ${record.ids.join(", ")} (NUMA ${[...new Set(record.numa)].map((node) => node ?? "unknown").join(", ")})`;
    case "image.pulled":
      return `image ${record.image} pulled (${bytesText(record.size)})`;
    case "image.removed":
      return `image ${record.names.join(", ") || record.id} removed (${bytesText(record.size)})`;
    case "cgroup.written":
      return `${record.path} = ${record.value.trim()}`;
    case "event":
      return `${record.type} ${record.reason}: ${record.message}${record.count > 1 ? ` (x${record.count})` : ""}`;
    case "decision":
      return `decision of ${record.plugin} (${record.strategy}): ${record.outcome}`;
    case "object.applied":
      return "applied";
    case "object.removed":
      return "gone";
    case "machine.shutdown":
      return SHUTDOWN[record.state];
    case "agent.restarted":
      return "agent restarted";
  }
}

/** What came of it; each with its reason, which other records only repeat. */
function isOutcome(record: SimulationRecord): boolean {
  switch (record.kind) {
    case "pod.rejected":
    case "pod.preempted":
    case "pod.evicted":
    case "pod.ready":
    case "container.restarted":
    case "device.allocated":
    case "image.removed":
    case "machine.shutdown":
    case "agent.restarted":
      return true;
    case "container.exited":
    case "container.killed":
      return record.code !== 0;
    case "pod.phase":
      return record.phase === "Succeeded" || (record.phase === "Failed" && record.reason === undefined);
    default:
      return false;
  }
}

/** What people are not shown unless they ask for each record: -o jsonl has it. */
export class Lines {
  constructor(private readonly shows: "all" | "outcomes" = "all") {}

  /** Last result by probe: the same again is no news. */
  readonly #probes = new Map<string, string>();

  /** Undefined: not shown. */
  line(record: SimulationRecord): string | undefined {
    if (record.kind === "cgroup.written" || !this.#isNews(record)) return undefined;
    if (this.shows === "outcomes" && !isOutcome(record)) return undefined;
    const text = textOf(record).replace(/\s+/g, " ");
    return `${clockText(record.t).padEnd(TIME_WIDTH)} ${subjectOf(record).padEnd(20)} ${text}`;
  }

  #isNews(record: SimulationRecord): boolean {
    if (record.kind !== "probe.result") return true;
    const key = `${record.pod}/${record.container}/${record.type}`;
    const isNews = this.#probes.get(key) !== record.result;
    this.#probes.set(key, record.result);
    return isNews;
  }
}

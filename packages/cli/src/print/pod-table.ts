/** `get pods`: kubectl's columns. Pure. */
import type { Pod } from "@hooklet/manifest";
import { summarize } from "../pod-status.js";
import { age, humanDuration } from "./amounts.js";
import { type Rows, rowsText } from "./columns.js";

export interface PodTableOptions {
  readonly wide: boolean;
  /** Puts a NAMESPACE column first. */
  readonly namespaces: boolean;
  /** Puts a LABELS column last. */
  readonly labels?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** One pod's cells, by column. */
export function podCells(pod: Pod, now: number): Readonly<Record<string, string>> {
  const { ready, total, status, restarts, lastRestart } = summarize(pod);
  return {
    NAMESPACE: pod.metadata.namespace,
    NAME: pod.metadata.name,
    READY: `${ready}/${total}`,
    STATUS: status,
    RESTARTS:
      restarts === 0 || lastRestart === undefined
        ? `${restarts}`
        : `${restarts} (${humanDuration(now - lastRestart)} ago)`,
    // Static pods have no time of creation of their own.
    AGE: age(pod.metadata.creationTimestamp ?? pod.status?.startTime, now),
    IP: pod.status?.podIP ?? "<none>",
    NODE: pod.spec.nodeName ?? "<none>",
    LABELS: labelsText(pod.metadata.labels),
  };
}

export function podTable(pods: readonly Pod[], options: PodTableOptions): string {
  return rowsText(podRows(pods, options));
}

export function podRows(pods: readonly Pod[], { wide, namespaces, labels = false, now }: PodTableOptions): Rows {
  const head = [
    ...(namespaces ? ["NAMESPACE"] : []),
    ...["NAME", "READY", "STATUS", "RESTARTS", "AGE"],
    ...(wide ? ["IP", "NODE"] : []),
    ...(labels ? ["LABELS"] : []),
  ];
  const rows = pods.map((pod) => {
    const cells = podCells(pod, now);
    return head.map((column) => cells[column] ?? "");
  });
  return { head, rows };
}

/** Whether a table of these pods needs the NAMESPACE column to tell them apart. */
export function severalNamespaces(pods: readonly Pod[]): boolean {
  return new Set(pods.map(({ metadata }) => metadata.namespace)).size > 1;
}

/** `app=web,tier=db`, by name. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const all = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return all.sort().join(",") || "<none>";
}

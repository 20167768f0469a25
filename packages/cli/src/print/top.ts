/** `top`: what pods and the node use, in kubectl's columns. Pure. */
import type { Resources } from "@hooklet/core";
import type { NodeStatistics } from "@hooklet/core/subsystem";
import { rowsText } from "./columns.js";

type PodStatistics = NodeStatistics["pods"][number];

export type SortBy = "cpu" | "memory";

export interface TopOptions {
  readonly namespaces: boolean;
  readonly containers: boolean;
  readonly headers: boolean;
  readonly sum: boolean;
  readonly sortBy?: SortBy;
}

interface Usage {
  /** Milli-cores. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
}

interface Row extends Usage {
  readonly cells: readonly string[];
}

const MIB = 1024 * 1024;

/** Undefined for a pod of which not everything is known yet. */
export function podUsage({ containers }: PodStatistics): Usage | undefined {
  const all = containers.map(usageOf);
  if (all.length === 0 || all.some((one) => one === undefined)) return undefined;
  return sum(all.flatMap((one) => one ?? []));
}

/** Pods of which nothing is known yet are left out. */
export function topPods(pods: readonly PodStatistics[], options: TopOptions): string {
  const known = pods.flatMap((pod) => {
    const usage = podUsage(pod);
    return usage === undefined ? [] : [{ ...usage, pod }];
  });
  known.sort(orderOf(options.sortBy, (a, b) => byName(a.pod.podRef, b.pod.podRef)));
  const rows = known.flatMap(({ pod, cpu, memory }): Row[] => {
    const { namespace, name } = pod.podRef;
    const place = options.namespaces ? [namespace] : [];
    if (!options.containers) return [{ cells: [...place, name], cpu, memory }];
    const own = pod.containers.flatMap(
      (one) => ({ ...(usageOf(one) ?? []), name: one.name }) as Usage & { name: string },
    );
    own.sort(orderOf(options.sortBy, (a, b) => compare(a.name, b.name)));
    return own.map((one) => ({ ...one, cells: [...place, name, one.name] }));
  });
  const head = [...(options.namespaces ? ["NAMESPACE"] : []), ...(options.containers ? ["POD", "NAME"] : ["NAME"])];
  const lines = rows.map(({ cells, cpu, memory }) => [...cells, cores(cpu), mebibytes(memory)]);
  if (options.sum && rows.length > 0) {
    const all = sum(rows);
    // As kubectl: a line of dashes, and the sums below the last two columns.
    const blank = head.slice(1).map(() => "");
    lines.push([...head.map(() => ""), "________", "________"], ["", ...blank, cores(all.cpu), mebibytes(all.memory)]);
  }
  return rowsText({ head: [...head, "CPU(cores)", "MEMORY(bytes)"], rows: lines }, options.headers);
}

/** @param total what shares are taken of: allocatable or capacity; cpu in milli-cores */
export function topNode(
  { node }: Pick<NodeStatistics, "node">,
  total: Resources,
  headers: boolean,
): string | undefined {
  const usage = usageOf(node);
  if (usage === undefined) return undefined;
  const share = (used: number, of: number | undefined): string =>
    of === undefined || of === 0 ? "<unknown>" : `${Math.trunc((used / of) * 100)}%`;
  const { cpu, memory } = usage;
  const cells = [node.nodeName, cores(cpu), share(cpu, total.cpu), mebibytes(memory), share(memory, total.memory)];
  return rowsText({ head: ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"], rows: [cells] }, headers);
}

function usageOf({ cpu, memory }: Pick<PodStatistics, "cpu" | "memory">): Usage | undefined {
  const nanoCores = cpu?.usageNanoCores;
  const bytes = memory?.workingSetBytes;
  // Milli-cores are rounded up, as quantities are.
  return nanoCores === undefined || bytes === undefined
    ? undefined
    : { cpu: Math.ceil(nanoCores / 1e6), memory: bytes };
}

function sum(all: readonly Usage[]): Usage {
  return all.reduce((total, { cpu, memory }) => ({ cpu: total.cpu + cpu, memory: total.memory + memory }), {
    cpu: 0,
    memory: 0,
  });
}

/** Most first; without a column, and of those that are equal, by name. */
function orderOf<T extends Usage>(sortBy: SortBy | undefined, byName: (a: T, b: T) => number): (a: T, b: T) => number {
  return (a, b) => (sortBy === undefined ? 0 : b[sortBy] - a[sortBy]) || byName(a, b);
}

function byName(a: PodStatistics["podRef"], b: PodStatistics["podRef"]): number {
  return compare(a.namespace, b.namespace) || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function cores(milli: number): string {
  return `${milli}m`;
}

function mebibytes(bytes: number): string {
  return `${Math.trunc(bytes / MIB)}Mi`;
}

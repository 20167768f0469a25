/** The Summary's types, from core's contract, and its time. Pure. */
import type { NodeContext } from "@hooklet/core";

export type NodeStatistics = NonNullable<Awaited<ReturnType<NodeContext["node"]["statistics"]>>>;
export type NodeSummary = NodeStatistics["node"];
export type PodStatistics = NodeStatistics["pods"][number];
export type ContainerStatistics = PodStatistics["containers"][number];
export type CpuStatistics = NonNullable<NodeSummary["cpu"]>;
export type MemoryStatistics = NonNullable<NodeSummary["memory"]>;
export type PsiStatistics = NonNullable<CpuStatistics["psi"]>;
export type FsStatistics = NonNullable<NodeSummary["fs"]>;
export type VolumeStatistics = NonNullable<PodStatistics["volume"]>[number];
export type NetworkStatistics = NonNullable<NodeSummary["network"]>;
export type HostFileSystem = Awaited<ReturnType<NodeContext["host"]["statfs"]>>;

/** RFC 3339 in whole seconds, as the kubelet writes it. */
export function rfc3339Seconds(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

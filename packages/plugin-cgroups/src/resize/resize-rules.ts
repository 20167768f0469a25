/** Whether another spec of a running pod is a resize, and of which containers (KEP-1287). Pure. */

import { allContainers, type Container, type NodeFacts, type Pod, type QosClass } from "@hooklet/core";
import { accountOf, admitPod, computeQosClass, podRequests, qosClass } from "@hooklet/core/rules";
import { isRecord } from "@hooklet/core/subsystem";

export interface ContainerResize {
  readonly before: Container;
  readonly after: Container;
  /** Its resizePolicy requires a restart for one of the changed resources. */
  readonly restart: boolean;
}

const RESIZABLE = ["cpu", "memory"] as const;

/**
 * The containers whose cpu or memory changed; undefined when anything else did, when the QoS class would change, or when a limit is removed:
 * the kubelet refuses that ("resource limits cannot be removed"), here the pod is replaced.
 */
export function resizeOf(before: Pod, after: Pod): readonly ContainerResize[] | undefined {
  if (canonical(withoutAmounts(before.spec)) !== canonical(withoutAmounts(after.spec))) return undefined;
  if (computeQosClass(before) !== computeQosClass(after)) return undefined;
  // What differs in amounts alone has the same containers.
  const pairs = allContainers(before).map((old, index) => [old, allContainers(after)[index] as Container] as const);
  if (pairs.some(([old, now]) => losesLimit(old, now))) return undefined;
  const changes = pairs.flatMap(([old, now]): ContainerResize[] => {
    const changed = RESIZABLE.filter(
      (resource) => canonical(amountsOf(old, resource)) !== canonical(amountsOf(now, resource)),
    );
    if (changed.length === 0) return [];
    return [{ before: old, after: now, restart: changed.some((resource) => needsRestart(now, resource)) }];
  });
  return changes.length === 0 ? undefined : changes;
}

function losesLimit({ resources: old }: Container, { resources: now }: Container): boolean {
  return RESIZABLE.some((resource) => old?.limits?.[resource] !== undefined && now?.limits?.[resource] === undefined);
}

function needsRestart({ resizePolicy }: Container, resource: string): boolean {
  return resizePolicy?.find(({ resourceName }) => resourceName === resource)?.restartPolicy === "RestartContainer";
}

function amountsOf({ resources }: Container, resource: string): unknown {
  return [resources?.requests?.[resource], resources?.limits?.[resource]].map((text) => text ?? null);
}

function withoutAmounts(spec: Pod["spec"]): unknown {
  const bare = (container: Container): unknown => {
    const { requests, limits, ...rest } = container.resources ?? {};
    return { ...container, resources: { ...rest, requests: others(requests), limits: others(limits) } };
  };
  return { ...spec, containers: spec.containers.map(bare), initContainers: (spec.initContainers ?? []).map(bare) };
}

function others(amounts: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(amounts).filter(([resource]) => !RESIZABLE.some((name) => name === resource)),
  );
}

/** The same text for the same value, with keys in any order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

// Which of several resizes that wait comes first (the kubelet's sortPendingResizes).

export interface WaitingResize {
  /** As it was last applied. */
  readonly before: Pod;
  readonly after: Pod;
  /** Milliseconds since the epoch: since when it waits. */
  readonly since: number;
  /** Why it waits; undefined: not decided yet, or under way. */
  readonly refusal?: ResizeRefusal | undefined;
}

const CLASSES: readonly QosClass[] = ["Guaranteed", "Burstable", "BestEffort"];

/** Resizes that only shrink come first, then by priority, QoS class and waiting time. */
export function resizeOrder<T extends WaitingResize>(waiting: readonly T[]): readonly T[] {
  const ranked = waiting.map((resize) => ({ resize, rank: rankOf(resize) }));
  return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ resize }) => resize);
}

function rankOf({ before, after, since }: WaitingResize): readonly number[] {
  const [had, asked] = [podRequests(before), podRequests(after)];
  const grows = (["cpu", "memory"] as const).some((resource) => (asked[resource] ?? 0) > (had[resource] ?? 0));
  return [grows ? 1 : 0, -(after.spec.priority ?? 0), CLASSES.indexOf(qosClass(after)), since];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

// Why a resize cannot be done, with the kubelet's messages (canResizePod).

export interface ResizeRefusal {
  /** Infeasible: the node could never; Deferred: it cannot now. */
  readonly reason: "Infeasible" | "Deferred";
  readonly message: string;
}

interface ResizeFacts {
  readonly node: NodeFacts;
  /** The other pods of the node, with what they have, not with what they wait for. */
  readonly others: readonly Pod[];
  /** `cpuManagerPolicy: static`. */
  readonly staticCpus: boolean;
}

export function resizeRefusal(pod: Pod, { node, others, staticCpus }: ResizeFacts): ResizeRefusal | undefined {
  if (staticCpus && qosClass(pod) === "Guaranteed") {
    const message = "Resize is infeasible for Guaranteed Pods alongside CPU Manager static policy";
    return { reason: "Infeasible", message };
  }
  const requests = podRequests(pod);
  // The kubelet checks memory first.
  for (const resource of ["memory", "cpu"]) {
    const [requested, capacity] = [requests[resource] ?? 0, node.allocatable[resource] ?? 0];
    if (requested <= capacity) continue;
    const message = `Node didn't have enough capacity: ${resource}, requested: ${requested}, capacity: ${capacity}`;
    return { reason: "Infeasible", message };
  }
  const now = admitPod(pod, node, accountOf(others)).find(({ shortfall }) => shortfall !== undefined);
  return now && { reason: "Deferred", message: now.message };
}

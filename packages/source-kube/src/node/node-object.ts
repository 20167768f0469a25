/** The Node as it is registered. Pure. */

import { isDeepStrictEqual } from "node:util";
import type { NodeTaint } from "@hooklet/core";
import { isRecord } from "@hooklet/core/subsystem";
import type { Node } from "kubernetes-types/core/v1.js";
import type { ApiCondition, NodeStatus } from "./node-status.js";

const ATTACH_DETACH = "volumes.kubernetes.io/controller-managed-attach-detach";

export interface Registration {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  readonly providerID: string | undefined;
  readonly status: NodeStatus;
}

export function newNode({ name, labels, taints, providerID, status }: Registration): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { ...labels }, annotations: { [ATTACH_DETACH]: "true" } },
    spec: {
      ...(providerID !== undefined && { providerID }),
      ...(taints.length > 0 && { taints: taints.map((taint) => ({ ...taint })) }),
    },
    status: status as unknown as NonNullable<Node["status"]>,
  };
}

/** What an existing Node lacks; undefined when it lacks nothing. A merge patch. */
export function nodePatch(
  inApi: Node,
  labels: Readonly<Record<string, string>>,
  providerID: string | undefined,
): object | undefined {
  const { metadata = {}, spec = {} } = inApi;
  const missing = Object.entries(labels).filter(([label, value]) => metadata.labels?.[label] !== value);
  const annotated = metadata.annotations?.[ATTACH_DETACH] === "true";
  const provider = providerID !== undefined && spec.providerID === undefined;
  if (missing.length === 0 && annotated && !provider) return undefined;
  return {
    metadata: {
      ...(missing.length > 0 && { labels: Object.fromEntries(missing) }),
      ...(!annotated && { annotations: { [ATTACH_DETACH]: "true" } }),
    },
    ...(provider && { spec: { providerID } }),
  };
}

// The changes of the Node's status for the API.

export type StatusInApi = { readonly [Key in keyof NodeStatus]?: NodeStatus[Key] | null };

/** Whether it says the same, heartbeats aside. */
export function isSameStatus(after: NodeStatus, inApi: StatusInApi): boolean {
  const { conditions, capacity, allocatable, declaredFeatures, ...rest } = after;
  // An API server without the field never stores it; it is only sent together with other changes.
  const declared = inApi.declaredFeatures ?? declaredFeatures;
  if (!isDeepStrictEqual(declaredFeatures, declared)) return false;
  for (const [ours, theirs] of [
    [capacity, inApi.capacity ?? {}],
    [allocatable, inApi.allocatable ?? {}],
  ] as const) {
    if (!holds(theirs, ours) || goneAmounts(ours, theirs).length > 0) return false;
  }
  const known = new Map((inApi.conditions ?? []).map((condition) => [condition.type, still(condition)]));
  if (!conditions.every((condition) => isDeepStrictEqual(known.get(condition.type), still(condition)))) return false;
  return Object.entries(rest).every(([key, value]) => isSame(value, inApi[key as keyof NodeStatus]));
}

/** A strategic merge patch of `status`: what differs, and all of the agent's own conditions with their heartbeats. */
export function statusPatch(after: NodeStatus, inApi: StatusInApi): Readonly<Record<string, unknown>> {
  const { conditions, addresses, capacity, allocatable, ...rest } = after;
  const patch: Record<string, unknown> = { conditions };
  for (const [key, value] of Object.entries(rest)) {
    if (!isSame(value, inApi[key as keyof NodeStatus])) patch[key] = value;
  }
  if (!isSame(addresses, inApi.addresses)) patch.addresses = [...addresses, { $patch: "replace" }];
  const amounts = { capacity, allocatable };
  for (const key of ["capacity", "allocatable"] as const) {
    const gone = goneAmounts(amounts[key], inApi[key] ?? {});
    if (gone.length === 0 && holds(inApi[key] ?? {}, amounts[key])) continue;
    patch[key] = { ...amounts[key], ...Object.fromEntries(gone.map((name) => [name, null])) };
  }
  return patch;
}

/** Extended resources that others advertise by the API stay. */
function goneAmounts(ours: Amounts, inApi: Amounts): readonly string[] {
  return Object.keys(inApi).filter((name) => !Object.hasOwn(ours, name) && !name.includes("/"));
}

function holds(inApi: Amounts, ours: Amounts): boolean {
  return Object.entries(ours).every(([name, amount]) => inApi[name] === amount);
}

type Amounts = Readonly<Record<string, string>>;

function still({ type, status, reason, message }: ApiCondition): unknown {
  return { type, status, reason, message };
}

/** Empty lists are left out by the API. */
function isSame(ours: unknown, theirs: unknown): boolean {
  if (Array.isArray(ours) && ours.length === 0)
    return theirs === undefined || theirs === null || isDeepStrictEqual(theirs, []);
  if (isRecord(ours) && isRecord(theirs)) {
    const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    return [...keys].every((key) => isSame(ours[key], theirs[key]));
  }
  return isDeepStrictEqual(ours, theirs ?? undefined);
}

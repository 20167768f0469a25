/** What core itself checks when a pod is admitted (pkg/kubelet/lifecycle predicateAdmitHandler). Pure. */

import {
  allContainers,
  type Container,
  isExtendedResource,
  isScalarResource,
  type Pod,
  podRequests,
  type Resources,
} from "@hooklet/manifest";
import type { SecurityContext } from "kubernetes-types/core/v1.js";
import type { Rejection, ResourceShortfall } from "../hooks/verdict.js";
import { type NodeFacts, OS_LABEL, withOsLabel } from "../plugin/contract/node.js";
import type { NodeAccount } from "./account.js";
import { hostPorts } from "./host-ports.js";
import {
  noNodeInfo,
  osFieldMismatch,
  osLabelMismatch,
  outOfResource,
  predicateFailed,
  supplementalGroupsUnsupported,
} from "./reasons.js";
import { matchesNodeAffinity, toleratesNode } from "./scheduling.js";

export interface AdmitOptions extends PredicateOptions {
  /**
   * What becomes of a request for an extended resource that the node does not know: `drop` lets the pod run without it,
   * as the kubelet does; `reject` refuses the pod with `OutOf<resource>`. Default drop.
   */
  readonly missingExtendedResources?: "drop" | "reject";
}

/**
 * The reasons against `pod`, first the one to report; empty = admitted. What preemption cannot mend (OS, features) comes
 * alone, before any fit is tried. `account` holds the other pods of the node; `node` undefined = not known.
 */
export function admitPod(
  pod: Pod,
  node: NodeFacts | undefined,
  account: NodeAccount,
  options: AdmitOptions = {},
): readonly Rejection[] {
  if (!node) return [noNodeInfo()];
  const facts = withOsLabel(node);
  const unfit = rejectedByOs(pod, facts) ?? rejectedByFeatures(pod, facts);
  if (unfit) return [unfit];
  const asked =
    options.missingExtendedResources === "reject" ? pod : removeMissingExtendedResources(pod, facts.allocatable);
  return generalPredicates(asked, facts, account, options);
}

/** The pod's own LABEL is compared, not its node selector; then `spec.os`. */
export function rejectedByOs(pod: Pod, node: Pick<NodeFacts, "os">): Rejection | undefined {
  const label = pod.metadata.labels?.[OS_LABEL];
  if (label !== undefined && label !== node.os) return osLabelMismatch();
  if (pod.spec.os && pod.spec.os.name !== node.os) return osFieldMismatch();
  return undefined;
}

function rejectedByFeatures(pod: Pod, node: NodeFacts): Rejection | undefined {
  // The installed Kubernetes types are older than this field.
  const context = pod.spec.securityContext as (SecurityContext & { supplementalGroupsPolicy?: string }) | undefined;
  if (context?.supplementalGroupsPolicy !== "Strict" || node.features?.supplementalGroupsPolicy) return undefined;
  return supplementalGroupsUnsupported();
}

// The general predicates: may this pod run on this node? (pkg/kubelet/lifecycle generalFilter).

/** What becomes of a pod that is not new here. */
export interface PredicateOptions {
  /** Passes over node affinity and taints, for a pod that was admitted here before. Default false. */
  readonly skipIgnorable?: boolean;
}

/**
 * True when the node's labels are the only reason of `generalPredicates`. The scheduler may have seen labels that have not
 * arrived here yet, so the kubelet then fetches the node again and decides once more.
 */
export function wantsFreshNode(reasons: readonly Rejection[]): boolean {
  return reasons.length > 0 && reasons.every(({ reason }) => reason === "NodeAffinity");
}

/** All reasons against the pod, in the kubelet's order: resources, node affinity, node name, host ports, taints. */
export function generalPredicates(
  pod: Pod,
  node: NodeFacts,
  account: NodeAccount,
  { skipIgnorable = false }: PredicateOptions = {},
): readonly Rejection[] {
  const reasons = shortfalls(podRequests(pod), node.allocatable, account).map(outOfResource);
  if (!skipIgnorable && !matchesNodeAffinity(pod, node)) reasons.push(predicateFailed("NodeAffinity"));
  if (pod.spec.nodeName && pod.spec.nodeName !== node.name) reasons.push(predicateFailed("NodeName"));
  if (account.ports.conflict(hostPorts(pod))) reasons.push(predicateFailed("NodePorts"));
  if (!skipIgnorable && !toleratesNode(pod, node.taints)) reasons.push(predicateFailed("TaintToleration"));
  return reasons;
}

// Requests for extended resources that the node does not know (pkg/kubelet/lifecycle removeMissingExtendedResources).

/**
 * The pod without requests for extended resources which allocatable does not name; a resource named with 0 stays, and
 * limits always stay. The pod itself comes back when there is nothing to drop.
 */
export function removeMissingExtendedResources(pod: Pod, allocatable: Resources): Pod {
  const dropped = (name: string): boolean => isExtendedResource(name) && !Object.hasOwn(allocatable, name);
  const touched = (container: Container): boolean =>
    Object.keys(container.resources?.requests ?? {}).some((name) => dropped(name));
  if (!allContainers(pod).some(touched)) return pod;

  const strip = (container: Container): Container => {
    if (!touched(container)) return container;
    const kept = Object.entries(container.resources?.requests ?? {}).filter(([name]) => !dropped(name));
    return { ...container, resources: { ...container.resources, requests: Object.fromEntries(kept) } };
  };
  const { containers, initContainers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: containers.map(strip),
      ...(initContainers ? { initContainers: initContainers.map(strip) } : {}),
    },
  };
}

// Do the pod's requests fit into what is left of the node? (Kubernetes scheduler noderesources fit).

const FIRST = ["cpu", "memory", "ephemeral-storage"] as const;

/** Everything that the node has too little of: pods, cpu, memory, ephemeral-storage, then the others by name. */
function shortfalls(requests: Resources, allocatable: Resources, account: NodeAccount): ResourceShortfall[] {
  const found: ResourceShortfall[] = [];
  const allowed = allocatable.pods ?? 0;
  if (account.pods + 1 > allowed) {
    found.push({ resource: "pods", requested: 1, used: account.pods, capacity: allowed });
  }
  for (const resource of [...FIRST, ...scalarNames(requests)]) {
    const requested = requests[resource] ?? 0;
    const capacity = allocatable[resource] ?? 0;
    const used = account.used(resource);
    if (requested > 0 && requested > capacity - used) found.push({ resource, requested, used, capacity });
  }
  return found;
}

/** Sorted, so that the first of several shortfalls is always the same one. The kubelet takes them in random order. */
function scalarNames(requests: Resources): string[] {
  const names: string[] = [];
  for (const resource in requests) {
    if (!FIRST.includes(resource as (typeof FIRST)[number]) && isScalarResource(resource)) names.push(resource);
  }
  return names.sort();
}

// Which sysctls pods may set (pkg/kubelet/sysctl): those that no other pod feels, and those that the node allows.

/** Namespaced, and harmless to others. */
const safe: ReadonlySet<string> = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_wmem",
]);

type Namespace = "net" | "ipc";

/** `allowed`: names of further ones, or beginnings that end in `*`. */
export function forbiddenSysctl(pod: Pod, allowed: readonly string[]): Rejection | undefined {
  const { securityContext, hostNetwork, hostIPC } = pod.spec;
  for (const { name = "" } of securityContext?.sysctls ?? []) {
    const dotted = normalized(name);
    const shared = { net: hostNetwork === true, ipc: hostIPC === true };
    const of = namespaceOf(dotted);
    const known = safe.has(dotted) || allowed.some((pattern) => matches(normalized(pattern), dotted));
    if (!known || of === undefined) return rejection(`"${dotted}" not allowlisted`);
    if (shared[of]) return rejection(`"${dotted}" not allowed with host ${of} enabled`);
  }
  return undefined;
}

/** Slashes separate as dots do; where both are used the first one says which. */
function normalized(name: string): string {
  const [first] = /[./]/.exec(name) ?? [];
  if (first !== "/") return name;
  return [...name].map((letter) => (letter === "/" ? "." : letter === "." ? "/" : letter)).join("");
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

function namespaceOf(name: string): Namespace | undefined {
  if (name.startsWith("net.")) return "net";
  return /^(kernel\.(shm|msg|sem)|fs\.mqueue\.)/.test(name) ? "ipc" : undefined;
}

function rejection(why: string): Rejection {
  return { reason: "SysctlForbidden", message: `forbidden sysctl: ${why}` };
}

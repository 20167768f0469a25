/** The status of the Node from what the agent knows (pkg/kubelet/nodestatus). Pure. */

import type { NodeCondition } from "@hooklet/core";
import { meminfoBytes, type SystemFacts } from "@hooklet/core/rules";

export interface NodeFacts {
  readonly name: string;
  readonly ip: string;
  /** Port of the server, where there is one. */
  readonly port: number | undefined;
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly system: SystemInfo;
  readonly images: readonly NodeImage[];
  readonly runtimeHandlers: readonly string[];
  /** Of plugins. */
  readonly conditions: readonly NodeCondition[];
  /** Why the node takes no pods; none: it does. */
  readonly notReady: readonly string[];
}

export interface NodeImage {
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: number;
}

export interface ApiCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
}

export interface NodeStatus {
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly conditions: readonly ApiCondition[];
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly daemonEndpoints: { readonly kubeletEndpoint: { readonly Port: number } };
  readonly nodeInfo: SystemInfo;
  readonly images: readonly { readonly names: readonly string[]; readonly sizeBytes: number }[];
  readonly runtimeHandlers: readonly { readonly name: string }[];
  readonly declaredFeatures: readonly string[];
}

/** Features of nodes that pods are placed by (component-helpers/nodedeclaredfeatures), in the order of their names. */
const DECLARED_FEATURES = ["InPlacePodVerticalScalingInitContainers", "RestartAllContainersOnContainerExits"];

const MAX_IMAGES = 50;
const MAX_NAMES = 5;

/** `before`: the conditions that the API has; `now`: RFC 3339. */
export function nodeStatus(facts: NodeFacts, before: readonly ApiCondition[], now: string): NodeStatus {
  return {
    capacity: facts.capacity,
    allocatable: facts.allocatable,
    conditions: nodeConditions(facts, before, now),
    addresses: [
      { type: "InternalIP", address: facts.ip },
      { type: "Hostname", address: facts.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: facts.port ?? 0 } },
    nodeInfo: facts.system,
    images: nodeImages(facts.images),
    runtimeHandlers: facts.runtimeHandlers.toSorted().map((name) => ({ name })),
    declaredFeatures: DECLARED_FEATURES,
  };
}

/** Size descending, digests before tags. */
export function nodeImages(images: readonly NodeImage[]): NodeStatus["images"] {
  return images
    .map(({ repoDigests, repoTags, size }) => ({
      names: [...repoDigests, ...repoTags].slice(0, MAX_NAMES),
      sizeBytes: size,
    }))
    .filter(({ names }) => names.length > 0)
    .sort((a, b) => b.sizeBytes - a.sizeBytes || compare(a.names[0] ?? "", b.names[0] ?? ""))
    .slice(0, MAX_IMAGES);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type State = Pick<ApiCondition, "type" | "status" | "reason" | "message">;

/** Said where no plugin says anything. */
const pressures: readonly State[] = [
  state("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
  state("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
  state("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
];

function state(type: string, reason: string, message: string): State {
  return { type, status: "False", reason, message };
}

/** Pressures first, then other plugins' conditions, Ready last. lastTransitionTime moves with the status only. */
function nodeConditions(facts: NodeFacts, before: readonly ApiCondition[], now: string): readonly ApiCondition[] {
  const said = new Map<string, State>(pressures.map((one) => [one.type, one]));
  for (const { type, status, reason, message } of facts.conditions) said.set(type, { type, status, reason, message });
  const ready = readyWith(said.get("Ready"), facts.notReady);
  said.delete("Ready");
  const known = new Map(before.map((condition) => [condition.type, condition]));
  return [...said.values(), ready].map((one) => {
    const old = known.get(one.type);
    const lastTransitionTime = old?.status === one.status ? (old.lastTransitionTime ?? now) : now;
    return { ...one, lastHeartbeatTime: now, lastTransitionTime };
  });
}

/** Plugins may add reasons why the node is not ready (a shutdown); otherwise their condition stays as it is. */
function readyWith(said: State | undefined, notReady: readonly string[]): State {
  if (said === undefined) return readyState(notReady);
  if (said.status !== "False" || said.reason !== "KubeletNotReady") return said;
  return readyState([...notReady, said.message ?? ""]);
}

function readyState(notReady: readonly string[]): State {
  const type = "Ready";
  if (notReady.length === 0) {
    return { type, status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" };
  }
  const message = notReady.length === 1 ? (notReady[0] as string) : `[${notReady.join(", ")}]`;
  return { type, status: "False", reason: "KubeletNotReady", message };
}

const events: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { True: "NodeReady", False: "NodeNotReady" },
  MemoryPressure: { True: "NodeHasInsufficientMemory", False: "NodeHasSufficientMemory" },
  DiskPressure: { True: "NodeHasDiskPressure", False: "NodeHasNoDiskPressure" },
  PIDPressure: { True: "NodeHasInsufficientPID", False: "NodeHasSufficientPID" },
};

/** Reasons of the events about conditions whose status has changed. */
export function transitions(before: readonly ApiCondition[], after: readonly ApiCondition[]): readonly string[] {
  const known = new Map(before.map(({ type, status }) => [type, status]));
  return after.flatMap(({ type, status }) => {
    const reason = events[type]?.[status];
    return reason === undefined || known.get(type) === status ? [] : [reason];
  });
}

// Machine facts in a Node.

interface SystemInfo extends SystemFacts {
  readonly containerRuntimeVersion: string;
  readonly kubeletVersion: string;
  /** Deprecated, and a field that has to be there. */
  readonly kubeProxyVersion: string;
  readonly swap?: { readonly capacity: number };
}

/** @param meminfo text of /proc/meminfo */
export function systemInfo(
  machine: SystemFacts,
  meminfo: string,
  runtime: { readonly runtimeName: string; readonly runtimeVersion: string },
  kubeletVersion: string,
): SystemInfo {
  const swap = meminfoBytes(meminfo, "SwapTotal") ?? 0;
  return {
    ...machine,
    containerRuntimeVersion: `${runtime.runtimeName}://${shownVersion(runtime.runtimeVersion)}`,
    kubeletVersion,
    kubeProxyVersion: "",
    ...(swap > 0 && { swap: { capacity: swap } }),
  };
}

const VERSION = /^\s*v?(\d+(?:\.\d+)*)(.*)/s;
const PRE_RELEASE_AND_BUILD = /^(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?\s*$/;

/** A runtime's version as a kubelet shows it: a semantic one whole, of any other the numbers in front (`1.6.20~ds1`: Debian's). */
export function shownVersion(text: string): string {
  const [, numbers, more = ""] = VERSION.exec(text) ?? [];
  if (numbers === undefined) return text;
  const semantic = numbers.split(".").length === 3 && PRE_RELEASE_AND_BUILD.test(more);
  return semantic ? `${numbers}${more.trimEnd()}` : numbers;
}

// The kubelet whose behaviour this agent has: what clusters go by when they judge which nodes are too old.

export const KUBELET_VERSION = "v1.36.3";

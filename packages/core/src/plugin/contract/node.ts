/** The node as plugins see it, and what they add to it. Pure. */

import type { Container, Pod, QosClass, Resources } from "@hooklet/manifest";
import type { Taint } from "kubernetes-types/core/v1.js";
import type { Rejection, Undo } from "../../hooks/verdict.js";
import type { NodeMemory, NodeStatistics, StatisticsProvider } from "./statistics.js";

export interface NodePort {
  readonly name: string;
  /** As registered, with what plugins added. */
  readonly labels: Readonly<Record<string, string>>;
  /** Port of the kubelet's server; undefined: there is none. */
  readonly serverPort: number | undefined;
  /** Directory for state files of the agent. */
  readonly rootDir: string;
  /** Its address, as pods on its network have it. */
  readonly ip: string;
  capacity(): Resources;
  allocatable(): Resources;
  /** Capacity and allocatable as the status of a Node shows them: quantities as text. */
  quantities(): {
    readonly capacity: Readonly<Record<string, string>>;
    readonly allocatable: Readonly<Record<string, string>>;
  };
  /** `node.evictionHard` with the defaults that hold: signal -> quantity or percentage, as text. */
  readonly evictionHard: Readonly<Record<string, string>>;
  /**
   * What the configuration reserves, without the eviction threshold: node.systemReserved and node.kubeReserved,
   * and node.reservedSystemCPUs, the processors behind the cpu of the two ("" where only their number is configured).
   */
  reserved(): {
    readonly systemReserved: Resources;
    readonly kubeReserved: Resources;
    readonly reservedSystemCPUs: string;
  };
  /** What admission goes by: name, labels, taints, OS and allocatable. */
  facts(): NodeFacts;
  /** Declares an extended resource of the node (devices); undefined takes it away. */
  setExtendedResource(
    name: string,
    amount: { readonly capacity: number; readonly allocatable: number } | undefined,
  ): void;
  /**
   * A condition of the node: `get node`, /readyz (for Ready alone), the API. lastTransitionTime moves with the status only.
   * Undefined takes it away. @throws NodeAgentError CLAIM_CONFLICT when another plugin has set this type
   */
  setCondition(type: string, condition: NodeConditionState | undefined): void;
  /** All conditions, in order of their first setting. */
  conditions(): readonly NodeCondition[];
  /** Called after a condition has another status, reason or message, or is gone. Returns what ends it. */
  watchConditions(listener: () => void): () => void;
  /** Sets all of this plugin's labels on the node; a label that it set before and leaves out now is removed. @throws CLAIM_CONFLICT */
  setLabels(labels: Readonly<Record<string, string>>): void;
  /** This plugin's taints on the node, all of them. */
  setTaints(taints: readonly NodeTaint[]): void;
  /** The one source of statistics. For `start` only. @throws NodeAgentError CLAIM_CONFLICT naming the other provider */
  provideStatistics(provider: StatisticsProvider): void;
  /**
   * Statistics of the node and its pods, not older than `maxAgeSeconds` (default 10); undefined when no plugin provides
   * any. Rejects when the provider cannot read them.
   */
  statistics(maxAgeSeconds?: number): Promise<NodeStatistics | undefined>;
  /**
   * Measures the disk usage of pods that statistics know as older than this, so that the next ones have it. Resolves once that is done,
   * or has taken 20 s. Never rejects.
   */
  measureDisks(maxAgeSeconds: number): Promise<void>;
  /** Memory as it is now, cheap enough to be read many times a second; undefined when no plugin provides it. */
  memory(): NodeMemory | undefined;
  /**
   * Says where pods have their cgroups; undefined while they have none. For `start` only.
   * @throws NodeAgentError CLAIM_CONFLICT naming the other plugin that does
   */
  provideCgroups(where: () => PodCgroups | undefined): void;
  /** Where pods have their cgroups; undefined where no plugin keeps any, or none can be kept on this machine. */
  cgroups(): PodCgroups | undefined;
  /** Offers to free disk space on request. For `start` only. */
  offerReclaim(offer: ReclaimOffer): void;
  /** The offers, in ascending order of `order`. */
  reclaimers(): readonly Reclaimer[];
  /**
   * Has a say in the NUMA alignment of pods, and gives out what lies on NUMA nodes. For `start` only.
   * @throws NodeAgentError CLAIM_CONFLICT when another plugin has a provider of this name
   */
  offerHints(provider: HintProvider): void;
  /** Who has a say, in the order of their start: for the one plugin that merges their hints (the topology manager). */
  hintProviders(): readonly HintProvider[];
}

/** Where pods have their cgroups: paths below the hierarchies. */
export interface PodCgroups {
  /** Of all pods: `/kubepods`. */
  readonly all: string;
  readonly classes: Readonly<Record<QosClass, string>>;
  pod(pod: Pod): string;
  /** The last component of a container's cgroup, which lies in its pod's; undefined while it has none. @param id the runtime's */
  container(id: string, podPath: string): string | undefined;
}

export interface NodeConditionState {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export interface NodeCondition extends NodeConditionState {
  readonly type: string;
  /** Who set it. */
  readonly plugin: string;
  /** Milliseconds since the epoch. */
  readonly lastHeartbeatTime: number;
  readonly lastTransitionTime: number;
}

/** Which file system gets emptier: `image` has the images, `container` the writable layers and logs of dead containers. */
export type ReclaimedFileSystem = "image" | "container";

export interface ReclaimOffer {
  /** For messages: "dead containers", "unused images". */
  readonly name: string;
  readonly frees: ReclaimedFileSystem;
  /** Lower runs first: dead containers 0, unused images 10, as the kubelet orders them. */
  readonly order: number;
  /** Frees all it can. Errors are the asker's to report. @param by the plugin that asks */
  reclaim(signal: AbortSignal, by: string): Promise<ReclaimResult>;
}

export interface ReclaimResult {
  /** Bytes that were freed, as far as known. */
  readonly freedBytes?: number;
  /** Number of removed things. */
  readonly removed: number;
}

export interface Reclaimer {
  readonly plugin: string;
  readonly name: string;
  readonly frees: ReclaimedFileSystem;
  readonly order: number;
  /** Within a deadline of 120 s. */
  reclaim(signal: AbortSignal): Promise<ReclaimResult>;
}

/** The node's facts for the predicates. */
export interface NodeFacts {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  /** Includes `pods`; cpu in milli-cores. */
  readonly allocatable: Resources;
  /** GOOS of the machine: `linux`. */
  readonly os: string;
  readonly features?: { readonly supplementalGroupsPolicy?: boolean };
}

export type NodeTaint = Readonly<Pick<Taint, "key" | "value" | "effect">>;

export const OS_LABEL = "kubernetes.io/os";

/** The node with its OS label set right: a wrong one is overwritten before anything is matched against it. */
export function withOsLabel(node: NodeFacts): NodeFacts {
  return node.labels[OS_LABEL] === node.os ? node : { ...node, labels: { ...node.labels, [OS_LABEL]: node.os } };
}

// NUMA alignment of what plugins allocate for containers (pkg/kubelet/cm/topologymanager).

/** One set of NUMA nodes from which a request could be met. */
export interface TopologyHint {
  /** Undefined: any. */
  readonly nodes: readonly number[] | undefined;
  /** No smaller set of nodes could ever meet it. */
  readonly preferred: boolean;
}

/** Null: no preference. Empty: the request cannot be met. */
export type ResourceHints = readonly TopologyHint[] | null;

/** Gives out something that lies on NUMA nodes: devices, CPUs. */
export interface HintProvider {
  /** For messages: `cpu`. */
  readonly name: string;
  /** By resource, for one container; what it does not ask for is left out. Changes nothing. */
  containerHints(pod: Pod, container: Container): ReadonlyMap<string, ResourceHints>;
  /** By resource, for the pod as a whole. Changes nothing. */
  podHints(pod: Pod): ReadonlyMap<string, ResourceHints>;
  /**
   * Allocates what the container asks for, on these NUMA nodes (undefined: any). Called for the containers of a pod that is admitted,
   * init containers first, with every policy, each before the hints of the next one are read; a container that already has its
   * allocation keeps it. An error rejects the pod as UnexpectedAdmissionError, "Allocate failed due to ...".
   */
  allocate(
    pod: Pod,
    container: Container,
    affinity: readonly number[] | undefined,
  ): AlignedResult | undefined | Promise<AlignedResult | undefined>;
  /** The CPUs that are the container's alone, for the pod resources API. */
  exclusiveCpus?(podUid: string, container: string): readonly number[];
  /** The CPUs that containers may get for themselves, for the pod resources API. */
  allocatableCpus?(): readonly number[];
}

/** What came of a request. */
export interface AlignedResult {
  /** Gives it back, when the pod is not admitted in the end. */
  readonly undo?: Undo;
  /** A reason of the provider's own against the pod (`SMTAlignmentError`). */
  readonly rejection?: Rejection;
}

/** NUMA alignment of what plugins allocate for containers (pkg/kubelet/cm/topologymanager). */
import type { Container, Pod } from "@hooklet/manifest";
import type { Rejection, Undo } from "../../hooks/verdict.js";

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

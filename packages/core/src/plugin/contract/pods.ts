/** The pods as plugins see and move them. */
import type { ContainerRef, Pod } from "@hooklet/manifest";
import type { PodDirectory, VolumeDirectory } from "@hooklet/volumes";
import type { Decision } from "./records.js";

export interface PodsPort {
  /** All pods that are known, with their status, also those being stopped. */
  list(): readonly Pod[];
  get(uid: string): Pod | undefined;
  /** Pods that hold resources of the node: admitted and not ended. */
  active(): readonly Pod[];
  /** Whether every source has delivered its pods once and the agent knows them: until then an unknown pod may only be late. */
  sourcesReady(): boolean;
  /**
   * Pods that run from before a restart of the agent and that no source has delivered yet (a server that is down). They hold
   * their resources, so `otherPods` of `podAdmit` includes them; they are never evicted. Their spec has only what admission
   * reads: resources, host ports, priority; a pod of an older agent has only its names.
   */
  awaited(): readonly Pod[];
  /**
   * Evicts the pod: a Warning event (none where it is `unconditional`), then phase Failed, with this reason and message. Resolves when its containers
   * are gone. A pod that is already stopping is not evicted again; a shorter grace period applies to it, and the call waits
   * for its end. Rejects when that took longer than max(10 s, 1.5 x grace period), when the pod is unknown, and when it is
   * protected: a critical pod is evicted only for a `preemptor` that may preempt it, or where the eviction is `unconditional`.
   */
  evict(uid: string, eviction: Eviction): Promise<void>;
  /**
   * Once set, a container counts as ready only while it runs and this is true. Unknown containers are ignored. In `open`
   * the running containers are known, and the value holds from the first published status.
   */
  setContainerReady(ref: ContainerRef, ready: boolean): void;
  setContainerStarted(ref: ContainerRef, started: boolean): void;
  /**
   * What of the container's resources is really applied (a resize in place): shown as `resources` and `allocatedResources`
   * of its status. Undefined: what the manifest says.
   */
  setAppliedResources(ref: ContainerRef, resources: AppliedResources | undefined): void;
  /**
   * Health of the resources that this plugin gave to the container, in its status' `allocatedResourcesStatus` with that of other plugins;
   * of two plugins that report one resource, the later one counts. An empty list removes it.
   */
  setAllocatedResourcesStatus(ref: ContainerRef, status: readonly AllocatedResourceStatus[]): void;
  /**
   * A condition of the pod in addition to the kubelet's own four: PodResizePending, a readiness gate, one of the plugin's. Undefined
   * removes it. A pod with readiness gates is Ready only while each of them is True.
   */
  setCondition(uid: string, type: string, condition: PodCondition | undefined): void;
  /** Called after every change of a pod, with undefined when it is gone for good. Returns what ends it. */
  watch(listener: (uid: string, pod: Pod | undefined) => void): () => void;
  /**
   * Called when a source delivers a running pod with another spec (labels and annotations alone never replace a pod). The first
   * function that returns true applies the change in place, and the pod continues with its new manifest. If all return
   * false, the pod is replaced. For `start` only.
   */
  onUpdate(applies: (before: Pod, after: Pod) => boolean): void;
  /** Kills the container; its restart policy decides what comes next. */
  restartContainer(ref: ContainerRef, restart: RestartRequest): void;
  /** Where the pod's emptyDirs lie on the node, by volume; none for an unknown pod. */
  volumeDirectories(uid: string): readonly VolumeDirectory[];
  /** Uids of the pods that have a directory on the node, including unknown pods. */
  directories(): Promise<readonly string[]>;
  /** The contents of a pod's directory; mounted volumes are not read. Rejects with the system's error. */
  directory(uid: string): Promise<PodDirectory>;
  /**
   * Removes the directory of a pod that is gone, with its emptyDirs. Rejects with `failed-precondition` while the pod is known or
   * runs from before, and with the system's error. Fine with one that is gone.
   */
  removeDirectory(uid: string): Promise<void>;
  /** The id and start of the container's newest attempt, when it runs. */
  running(
    ref: ContainerRef,
  ): { readonly containerId: string; readonly startedAt: number; readonly restartCount: number } | undefined;
}

export interface Eviction {
  readonly reason: string;
  readonly message: string;
  /** Seconds; undefined = the pod's own terminationGracePeriodSeconds. */
  readonly gracePeriodSeconds?: number;
  readonly condition?: { readonly type: string; readonly reason: string; readonly message: string };
  /** Of the Warning event. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The pod that takes its place. */
  readonly preemptor?: Pod;
  /**
   * No pod is protected from it, and it has no event: for what cannot be put off, as the kubelet's graceful node shutdown. Default
   * false.
   */
  readonly unconditional?: boolean;
  /**
   * False: it is forgotten when the agent restarts; a pod that its source still wants then starts again. Default true: the pod
   * stays Failed.
   */
  readonly lasting?: boolean;
  /** What the record of the eviction (`hooklet explain`) contains beside owner, beneficiary and reason. */
  readonly decision?: Pick<Decision, "strategy" | "considered">;
}

export interface RestartRequest {
  /** Text of the `Killing` event. */
  readonly message: string;
  /** Seconds; undefined = the pod's own terminationGracePeriodSeconds. */
  readonly gracePeriodSeconds?: number;
  /** Leaves the request undone unless this is still the running container. */
  readonly containerId?: string;
}

/** Quantities as the API has them. */
export interface AppliedResources {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

export interface AllocatedResourceStatus {
  /** `vendor.example/gpu`. */
  readonly name: string;
  readonly resources: readonly { readonly resourceID: string; readonly health: "Healthy" | "Unhealthy" | "Unknown" }[];
}

export interface PodCondition {
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
}

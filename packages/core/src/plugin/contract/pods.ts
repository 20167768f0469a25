/** The pods as plugins see and move them. */
import type { ContainerRef, Pod } from "@hooklet/manifest";
import type { Decision } from "./records.js";

export interface PodsPort {
  /** All pods that are known, with their status, also those being stopped. */
  list(): readonly Pod[];
  get(uid: string): Pod | undefined;
  /** Pods that hold resources of the node: admitted and not ended. */
  active(): readonly Pod[];
  /** Whether every source has told its pods once and the agent knows them: until then a pod that is unknown may only not have come yet. */
  sourcesReady(): boolean;
  /**
   * Pods that run from before a restart of the agent while no source has spoken of them (a server that is down). They hold
   * their part of the node, so `otherPods` of `podAdmit` has them too; nobody evicts them. Of their spec there is what admission
   * reads: resources, host ports, priority; of a pod that an older agent made, its names.
   */
  awaited(): readonly Pod[];
  /**
   * Stops a pod for good: a Warning event (none where it is `unconditional`), then phase Failed, with this reason and message. Resolves when its containers
   * are gone; a pod that is being stopped already is not evicted again, only told to hurry where this grace period is shorter,
   * and waited for. Rejects when that took longer than max(10 s, 1.5 x grace period), when the pod is unknown, and when it is
   * protected: a critical pod is evicted only for a `preemptor` that may preempt it, or where the eviction is `unconditional`.
   */
  evict(uid: string, eviction: Eviction): Promise<void>;
  /**
   * Once set, a container counts as ready only while it runs and this says so. Unknown containers are ignored; in `open`
   * those that run are known, and what is said there holds from the first moment that they are shown.
   */
  setContainerReady(ref: ContainerRef, ready: boolean): void;
  setContainerStarted(ref: ContainerRef, started: boolean): void;
  /**
   * What of the container's resources is really applied (a resize in place): shown as `resources` and `allocatedResources`
   * of its status. Undefined: what the manifest says.
   */
  setAppliedResources(ref: ContainerRef, resources: AppliedResources | undefined): void;
  /**
   * Health of what this plugin gave to the container, in its status' `allocatedResourcesStatus` beside that of other plugins; of two
   * that speak of one resource, the later one counts. An empty list takes it away.
   */
  setAllocatedResourcesStatus(ref: ContainerRef, status: readonly AllocatedResourceStatus[]): void;
  /**
   * A condition of the pod beside the kubelet's own four: PodResizePending, a readiness gate, one of the plugin's. Undefined
   * takes it away. A pod with readiness gates is Ready only while each of them is True.
   */
  setCondition(uid: string, type: string, condition: PodCondition | undefined): void;
  /** Called after every change of a pod, with undefined when it is gone for good. Returns what ends it. */
  watch(listener: (uid: string, pod: Pod | undefined) => void): () => void;
  /**
   * Asked when a source delivers a running pod with another spec (labels and annotations alone never replace a pod): whoever
   * returns true applies the change in place, the others are not asked, and the pod goes on under its new manifest; when
   * nobody does, the pod is replaced. For `start` only.
   */
  onUpdate(applies: (before: Pod, after: Pod) => boolean): void;
  /** Kills the container; its restart policy decides what comes next. */
  restartContainer(ref: ContainerRef, restart: RestartRequest): void;
  /** Where the pod's emptyDirs lie on the node, by volume; none for an unknown pod. */
  volumeDirectories(uid: string): readonly VolumeDirectory[];
  /** Uids of the pods that have a directory on the node, also of those that nobody knows any more. */
  directories(): Promise<readonly string[]>;
  /** What lies in a pod's directory; volumes that are mounted are not looked into. Rejects with the system's error. */
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

export interface VolumeDirectory {
  readonly name: string;
  readonly path: string;
  /** `Memory` for an emptyDir in memory, otherwise empty. */
  readonly medium: string;
}

export interface PodDirectory {
  readonly uid: string;
  readonly path: string;
  readonly volumes: readonly PodVolumeDirectory[];
  /** Mount points in it that the agent did not make: of storage drivers, of a container with Bidirectional propagation. */
  readonly mounts: readonly string[];
}

/** `volumes/<plugin>/<name>` in a pod's directory. */
export interface PodVolumeDirectory {
  /** `kubernetes.io~empty-dir`. */
  readonly plugin: string;
  readonly name: string;
  readonly path: string;
  readonly content: "empty" | "filled" | "mounted" | "no directory";
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
   * False: it is not kept over a restart of the agent; a pod that its source still wants then begins anew. Default true: the pod
   * stays Failed.
   */
  readonly lasting?: boolean;
  /** What the record of the eviction (`hooklet explain`) says beside who asked, for whom and why. */
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

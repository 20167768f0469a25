/**
 * The container plan: what `containerStart` taps add to a container before it is created. Every set goes through a
 * claim (claims.ts): one owner per env name, device path, mount path, annotation and cgroup file.
 */
import type { Device, LinuxContainerResources, Mount } from "./runtime/port.js";

/**
 * Called once the container runs and its postStart has succeeded, in order of registration, at most 30 s each; awaited
 * before the next container of the pod starts.
 */
export type AfterStart = (started: StartedContainer) => void | Promise<void>;

export interface StartedContainer {
  readonly podUid: string;
  readonly container: string;
  readonly containerId: string;
  readonly restartCount: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** What a tap sees of the plan. Valid during its own call only: later calls throw. */
export interface ContainerPlan {
  /** Sets an environment variable of the container; a value from the manifest is replaced. @throws ClaimConflictError */
  setEnv(name: string, value: string): void;
  /** Makes a device node of the host visible. @throws ClaimConflictError when another plugin has this containerPath */
  addDevice(device: Device): void;
  /** @throws ClaimConflictError when another plugin has this containerPath */
  addMount(mount: Mount): void;
  /** Sets an annotation on the runtime's container. @throws ClaimConflictError */
  setAnnotation(name: string, value: string): void;
  /** Sets one cgroup value of the container; the name is CRI's. @throws ClaimConflictError */
  setResource<K extends keyof LinuxContainerResources>(name: K, value: NonNullable<LinuxContainerResources[K]>): void;
  /** Sets one cgroup v2 file, for example `memory.high`. @throws ClaimConflictError */
  setUnified(file: string, value: string): void;
  afterStart(run: AfterStart): void;
  /** The container is not ready, however long it runs, until `pods.setContainerReady(…, true)`. */
  holdReady(): void;
  /** The container is not started (status `started: false`) until `pods.setContainerStarted(…, true)`. */
  holdStarted(): void;
}

/** What the core hands to the hook: a plan that gives each plugin a view of its own (claims.ts). */
export interface PlanOwners {
  /** The plan as `plugin` sees it: its claims are the plugin's, its methods throw once `signal` is aborted. */
  as(plugin: string, signal?: Pick<AbortSignal, "aborted">): ContainerPlan;
}

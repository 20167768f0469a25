/**
 * The container plan: what `containerStart` taps add to a container before it is created. Every set goes through a
 * claim (builder.ts): one owner per env name, device path, mount path, annotation and cgroup file.
 */

import type { Device, LinuxContainerResources, Mount } from "@hooklet/cri-api";
import type { Pod } from "@hooklet/manifest";

/**
 * Called once the container runs and its postStart has succeeded, in order of registration, at most 30 s each; the
 * next container of the pod starts afterwards.
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
  /** Sets an environment variable of the container; it replaces a value from the manifest. @throws ClaimConflictError */
  setEnv(name: string, value: string): void;
  /** Makes a device node of the host visible: `{hostPath, containerPath, permissions}`. @throws ClaimConflictError when another plugin has this containerPath */
  addDevice(device: Device): void;
  /** Adds a CDI device by its qualified name, `vendor.example/class=name`. @throws ClaimConflictError when another plugin has it */
  addCdiDevice(name: string): void;
  /** Mounts a host path into the container: `{hostPath, containerPath, readonly, selinuxRelabel, propagation}`. @throws ClaimConflictError when another plugin has this containerPath */
  addMount(mount: Mount): void;
  /** Sets an annotation on the runtime's container. @throws ClaimConflictError */
  setAnnotation(name: string, value: string): void;
  /** Sets one cgroup value of the container by its name in CRI, such as `memoryLimitInBytes`. @throws ClaimConflictError */
  setResource<K extends keyof LinuxContainerResources>(name: K, value: NonNullable<LinuxContainerResources[K]>): void;
  /** Sets one cgroup v2 file, for example `memory.high`. @throws ClaimConflictError */
  setUnified(file: string, value: string): void;
  /** `run` is called once the container runs and its postStart hook has succeeded; at most 30 s. */
  afterStart(run: AfterStart): void;
  /** The container is not ready, however long it runs, until `pods.setContainerReady(…, true)`. */
  holdReady(): void;
  /** The container is not started (status `started: false`) until `pods.setContainerStarted(…, true)`. */
  holdStarted(): void;
}

/** What core hands to the hook: a plan with one view per plugin (builder.ts). */
export interface PlanOwners {
  /** The plan as `plugin` sees it: its claims are the plugin's, its methods throw once `signal` is aborted. */
  as(plugin: string, signal?: Pick<AbortSignal, "aborted">): ContainerPlan;
}

/**
 * The sandbox plan: what plugins add to a pod's sandbox. A tap of `podAdmit` registers `verdict.beforeSandbox(run)`; core calls
 * it before each sandbox of the pod is made, and once for a pod that is taken over. When it rejects, the sandbox is not made: the
 * error is shown and tried again as any failure of a sandbox is.
 */
export interface SandboxPlan {
  readonly pod: Pod;
  /** Counts up with each sandbox of the pod. */
  readonly attempt: number;
  /** The sandbox exists already: the pod is taken over. */
  readonly exists: boolean;
  /** cgroupfs path (or systemd slice) below which sandbox and containers are made. @throws ClaimConflictError */
  setCgroupParent(path: string): void;
  /** What the containers of the pod take in all, for the runtime. @throws ClaimConflictError */
  setResources(resources: LinuxContainerResources): void;
  /** What the sandbox itself takes (RuntimeClass overhead). @throws ClaimConflictError */
  setOverhead(resources: LinuxContainerResources): void;
  /** Which of the runtime's handlers runs the pod, and has its images (RuntimeClass); "" is its default. @throws ClaimConflictError */
  setRuntimeHandler(handler: string): void;
  /** @throws ClaimConflictError */
  setAnnotation(name: string, value: string): void;
  readonly signal: AbortSignal;
}

export type BeforeSandbox = (sandbox: SandboxPlan) => void | Promise<void>;

/**
 * The one runtime port: the subset of CRI v1 that the core uses. Field names are CRI's in camelCase; times are
 * nanoseconds since the epoch as bigint, as in CRI; ids are opaque strings. Three implementations (process, cri,
 * simulated) pass the same suite, testkit's `describeRuntime`. Pure.
 */

import type { Duplex } from "node:stream";
import type { Json } from "@hooklet/utils";
import type {
  Container,
  ContainerConfig,
  ContainerStatus,
  LinuxContainerResources,
  PullCredentials,
  Sandbox,
  SandboxConfig,
  SandboxStatus,
  StringMap,
} from "./objects.js";

export * from "./objects.js";

/** Bytes of each output of a command that `execSync` keeps: what the kubelet takes of a probe's. */
export const EXEC_SYNC_BYTES = 10 * 1024;

export interface ExecResult {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exitCode: number;
}

export interface Image {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  /** Bytes. */
  readonly size: number;
  /** Uid of the image's user; undefined when it names a user or none. */
  readonly uid?: number;
  readonly username?: string;
  readonly pinned: boolean;
  /**
   * The RuntimeClass handler that it was pulled for, where the runtime keeps images for each handler: then two images may have the same
   * id. Absent: for all of them.
   */
  readonly runtimeHandler?: string;
  /** No registry gave it: it is used whatever the pull policy. */
  readonly imported?: boolean;
}

/** A file system on which the runtime keeps something. */
export interface RuntimeFileSystem {
  readonly mountpoint: string;
  /** What the runtime's own things take of it. */
  readonly usedBytes: number;
  readonly inodesUsed: number;
  /** The file system's size and free space, where the runtime knows them; otherwise ask the mountpoint. */
  readonly capacityBytes?: number;
  readonly availableBytes?: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
  /** The device of the file system, where the runtime reports it; otherwise the mountpoint identifies it. */
  readonly device?: string;
}

/** Where images lie on the node. */
export interface ImageFsInfo extends RuntimeFileSystem {
  /** Where writable layers lie; absent: where the images do. */
  readonly container?: RuntimeFileSystem;
}

export interface ContainerStats {
  readonly id: string;
  readonly labels: StringMap;
  readonly cpuUsageNanoSeconds?: number;
  readonly memoryWorkingSetBytes?: number;
  readonly writableLayerUsedBytes?: number;
  readonly writableLayerInodesUsed?: number;
  /** The directory of the writable layer, where the runtime does not measure it: the caller does. */
  readonly writableLayerDirectory?: string;
}

/** Something changed; core reads the new status. Superfluous events do no harm. */
export interface RuntimeEvent {
  readonly podUid: string;
  /** Empty when the sandbox itself changed. */
  readonly containerId: string;
  readonly type: "CONTAINER_CREATED" | "CONTAINER_STARTED" | "CONTAINER_STOPPED" | "CONTAINER_DELETED";
}

/** Of a command with a conversation. */
export interface ExecOptions {
  readonly command: readonly string[];
  readonly tty: boolean;
  readonly stdin: boolean;
  /** Aborted once its client has left: what has not been started then is not started. */
  readonly signal?: AbortSignal;
}

export interface InteractiveExec {
  /** Resolves with the exit code once the command ended and all output was delivered. */
  readonly exitCode: Promise<number>;
  write(stdin: Buffer): void;
  /** Resolves when the command accepts more input, or has ended. Absent: it always does. */
  drained?(): Promise<void>;
  endInput(): void;
  /** Stops delivering output, so that the command blocks once its pipe is full; `resume` continues. */
  pause?(): void;
  resume?(): void;
  resize(columns: number, rows: number): void;
  /** Kills the command. */
  abort(): void;
}

/** What a runtime isolates, for the docs and `hooklet describe node`. */
export interface IsolationFact {
  /** for example "mounts", "network", "processes", "users", "cgroups". */
  readonly what: string;
  readonly isolated: "yes" | "no" | "partly";
  readonly how: string;
}

export interface RuntimeInfo {
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly runtimeApiVersion: string;
  /** Prefix of container ids in a pod's status: `containerd://<id>`. */
  readonly idPrefix: string;
  readonly isolation: readonly IsolationFact[];
  /** Name of the image that sandboxes run from, where there is one. */
  readonly sandboxImage?: string;
  /** How cgroups are named, where the runtime tells. */
  readonly cgroupDriver?: "cgroupfs" | "systemd";
  /** RuntimeClass handlers; "" is the default one. Absent: only the runtime knows. */
  readonly runtimeHandlers?: readonly string[];
  /** Those of them that can make a mount read-only with all that is mounted below it. Absent: none. */
  readonly recursiveReadOnlyHandlers?: readonly string[];
  /** Further facts for `hooklet describe node`. */
  readonly details?: Readonly<Record<string, Json>>;
}

/** What decides about a container's view of files, before it is made. */
export interface AskedRoot {
  readonly image: string;
  /** Undefined: the image's. */
  readonly runAsUser: number | undefined;
  /** It cannot become another user: `allowPrivilegeEscalation: false`. */
  readonly noNewPrivs: boolean;
  /** It sees no processes but its own: neither `hostPID` nor `shareProcessNamespace`. */
  readonly ownProcesses: boolean;
}

/** A stream that the runtime's own server is to carry. */
export type StreamRequest =
  | ({ readonly kind: "exec"; readonly containerId: string; readonly command: readonly string[] } & StreamParts)
  | ({ readonly kind: "attach"; readonly containerId: string } & StreamParts)
  | { readonly kind: "portForward"; readonly sandboxId: string; readonly ports: readonly number[] };

export interface StreamParts {
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/**
 * Errors: every method may reject with a `RuntimeError` (runtime/errors.ts). Stop and remove may be repeated and are
 * fine with what is already gone. Methods may be called concurrently; the core never calls two for one container at a time,
 * except `execSync`, status calls, and a stop with grace period 0 while another stop waits: then the container is killed at once.
 */
export interface Runtime {
  readonly name: string;
  /** Called once before anything else: prepares directories, connects, takes over what already runs. */
  start(): Promise<void>;
  info(): Promise<RuntimeInfo>;
  /** Undefined when well, else what is wrong. Called every few seconds: must be cheap. */
  health(): Promise<string | undefined>;

  runSandbox(config: SandboxConfig, signal?: AbortSignal): Promise<string>;
  stopSandbox(id: string): Promise<void>;
  /** With all containers in it. */
  removeSandbox(id: string): Promise<void>;
  listSandboxes(filter?: { readonly podUid?: string }): Promise<readonly Sandbox[]>;
  /** `not-found` when unknown. */
  sandboxStatus(id: string): Promise<SandboxStatus>;

  createContainer(
    sandboxId: string,
    config: ContainerConfig,
    sandbox: SandboxConfig,
    signal?: AbortSignal,
  ): Promise<string>;
  /** A command that cannot be started: rejects, and the container is EXITED with code 128 and reason StartError. */
  startContainer(id: string): Promise<void>;
  /** TERM, then KILL after the grace period (seconds; 0 = KILL at once). Resolves when the container is gone. */
  stopContainer(id: string, gracePeriodSeconds: number): Promise<void>;
  removeContainer(id: string): Promise<void>;
  listContainers(filter?: { readonly podUid?: string; readonly sandboxId?: string }): Promise<readonly Container[]>;
  containerStatus(id: string): Promise<ContainerStatus>;
  updateContainerResources(id: string, resources: LinuxContainerResources): Promise<void>;

  /** Rejects with code `deadline-exceeded` when the timeout (seconds; 0 = none) passes; the process is killed. The first EXEC_SYNC_BYTES of each output count. */
  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult>;
  exec(
    id: string,
    options: ExecOptions,
    output: (stream: "stdout" | "stderr", data: Buffer) => void,
  ): Promise<InteractiveExec>;

  /** False: there is no way to a registry; local images are used with any pull policy, and `pullImage` only explains what to do. */
  readonly canPull?: boolean;
  /**
   * The image by name or id; undefined when it does not exist. `runtimeHandler`, here and below: the handler for which the image is meant;
   * a runtime that does not keep images per handler ignores it.
   */
  imageStatus(image: string, runtimeHandler?: string): Promise<Image | undefined>;
  listImages(): Promise<readonly Image[]>;
  /** Returns the image's id. Without `credentials` those that the runtime finds on the node count, if any. */
  pullImage(
    image: string,
    signal?: AbortSignal,
    credentials?: PullCredentials,
    runtimeHandler?: string,
  ): Promise<string>;
  removeImage(image: string, runtimeHandler?: string): Promise<void>;
  imageFsInfo(): Promise<ImageFsInfo>;
  listContainerStats(): Promise<readonly ContainerStats[]>;

  /**
   * Undefined: this runtime has no events and is relisted every second. Otherwise relisting is only a slow safety net.
   * Known once `start` has resolved. `gap` is called when events may have been missed: relist.
   */
  subscribe?(listener: (event: RuntimeEvent) => void, gap?: () => void): () => void;

  /** Imports a root file system as an image, where the runtime can. Returns its id. */
  importImage?(name: string, path: string): Promise<string>;
  /** State that `start` found damaged and moved aside, one sentence each. Absent where the runtime keeps no state. */
  damage?(): readonly string[];
  /**
   * What the container asks for and the runtime accepts without enforcing it, one sentence each: the pod gets an event. Absent where
   * the runtime enforces all that it accepts.
   */
  unenforced?(config: ContainerConfig): readonly string[];
  /**
   * The part of the container's spec that lets it reach files of the node outside of its mounts, with the alternative; undefined:
   * none, or its image does not exist yet. Absent: no image and no user of this runtime reaches such files.
   */
  reachesNodeFiles?(container: AskedRoot): Promise<string | undefined>;
  /** Opens a container's log file again after it was rotated away; absent where logs are rotated otherwise. */
  reopenContainerLog?(id: string): Promise<void>;
  /** Where the runtime serves streams itself, by HTTP upgrades (the CRI's streaming server). Absent where it has no such server. */
  streamUrl?(request: StreamRequest): Promise<string>;
  /** A connection to a port inside the sandbox, where the runtime can. Errors come as the stream's `error`. */
  portForward?(sandboxId: string, port: number): Promise<Duplex>;
  /** Where the machine's own agent keeps the logs of this runtime's pods. Absent, and for an agent with another root dir: below the root dir. */
  readonly podLogsDir?: string;
  /** What the container's log file is: records of the CRI format, or its bare output (`raw`: of runtimes of others; those here write CRI). */
  readonly logFormat: "cri" | "raw";

  /** Releases connections and watches; containers run on. */
  close(): Promise<void>;
}

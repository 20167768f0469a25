/** The part of the runtime that plugins may use. */

import type {
  Container,
  ContainerStats,
  ContainerStatus,
  ExecResult,
  Image,
  LinuxContainerResources,
  Sandbox,
} from "@hooklet/cri-api";
import type { HostFileSystem } from "@hooklet/linux";

export interface PluginRuntime {
  readonly name: string;
  /** Undefined when well, else what is wrong. Cheap. */
  health(): Promise<string | undefined>;
  /** What does not change while the runtime runs. */
  facts(): Promise<RuntimeFacts>;
  /** All sandboxes, including those of other programs; pods of Kubernetes have its labels. */
  listSandboxes(): Promise<readonly Sandbox[]>;
  /** All containers, including dead ones and those of other programs. */
  listContainers(): Promise<readonly Container[]>;
  containerStatus(id: string): Promise<ContainerStatus>;
  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult>;
  updateContainerResources(id: string, resources: LinuxContainerResources): Promise<void>;
  listImages(): Promise<readonly Image[]>;
  imageStatus(image: string): Promise<Image | undefined>;
  /**
   * Removes an image by its id; where images are kept for each RuntimeClass handler, that of `runtimeHandler` alone. Rejects with
   * `failed-precondition` when a pull or a container that is being started holds it, and when it is the sandbox image.
   */
  removeImage(image: string, runtimeHandler?: string): Promise<void>;
  /** Ids and names that a pull or a starting container holds at this moment. */
  heldImages(): readonly string[];
  /** Stops and removes a container that does not run. Rejects with `failed-precondition` for one that does. */
  removeDeadContainer(id: string): Promise<void>;
  /** Stops and removes a sandbox. Rejects with `failed-precondition` for one in which a container runs. */
  removeDeadSandbox(id: string): Promise<void>;
  /** The current file systems of the node (root dir), of images and of writable layers. */
  fileSystems(): Promise<NodeFileSystems>;
  listContainerStats(): Promise<readonly ContainerStats[]>;
}

export interface RuntimeFacts {
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  /** Name of the image that sandboxes run from, where there is one. */
  readonly sandboxImage?: string;
  /** How the runtime names cgroups, where it tells (CRI RuntimeConfig). */
  readonly cgroupDriver?: "cgroupfs" | "systemd";
  /** Directory with the pods' logs. */
  readonly podLogsDir: string;
  /** Whether pods have their own networks, unless they use the host's. */
  readonly podNetworks: boolean;
  /** Whether containers have cgroups, so that their limits hold. */
  readonly cgroups: boolean;
  /** RuntimeClass handlers that the runtime knows; "" is its default. */
  readonly runtimeHandlers: readonly string[];
}

export interface FileSystem extends HostFileSystem {
  readonly mountpoint: string;
  /** What images or writable layers take of it, where the runtime tells. */
  readonly usedBytes?: number;
  readonly inodesUsed?: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface NodeFileSystems {
  readonly node: FileSystem;
  readonly image: FileSystem;
  readonly container: FileSystem;
}

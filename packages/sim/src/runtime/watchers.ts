/** Watchers of a node's containers and images. */
import type { SandboxConfig } from "@hooklet/core/host";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";
import type { ContainerRecord } from "./records.js";

export interface RuntimeWatchers {
  /** A sandbox is about to be made: its pod has been admitted. */
  sandbox(pod: SandboxConfig["metadata"]): void;
  started(container: ContainerRecord): void;
  /** Its process has ended, or never ran. */
  ended(container: ContainerRecord): void;
  /** Removed from the node. */
  removed(container: ContainerRecord): void;
  resized(container: ContainerRecord, resources: LinuxContainerResources): void;
  /** An image that was not there. */
  pulled(name: string, id: string, bytes: number): void;
  imageRemoved(id: string, names: readonly string[], bytes: number): void;
}

/** Where a pod's data lie on the node's disks. Pure but for the names of log files. */
import { type Pod, runnableContainers } from "@hooklet/core";
import { podLogDirectory } from "@hooklet/core/rules";
import type { KernelFiles, VolumeDirectory } from "@hooklet/core/subsystem";

/** Each path is counted by itself. */
export interface PodPlaces {
  /** Log files by container. */
  readonly logs: ReadonlyMap<string, readonly string[]>;
  /** Log files that are no container's. */
  readonly podLogs: readonly string[];
  readonly volumes: readonly VolumeDirectory[];
  /** What the agent gives to containers: the hosts file, and the folder of termination logs, in which they write. Without what is not there. */
  readonly ownFiles: readonly string[];
}

export interface PlaceFacts {
  readonly podLogsDir: string;
  readonly rootDir: string;
  readonly volumes: readonly VolumeDirectory[];
  readonly kernel: Pick<KernelFiles, "entries" | "directories" | "changedAt">;
}

/** Log files of one folder that are counted: rotation keeps five a container. */
const MAX_LOG_FILES = 256;

export function placesOf(pod: Pod, { podLogsDir, rootDir, volumes, kernel }: PlaceFacts): PodPlaces {
  const folder = podLogDirectory(podLogsDir, pod);
  const filesIn = (path: string): string[] => {
    const folders = new Set(kernel.directories(path));
    const files = kernel.entries(path).filter((name) => !folders.has(name));
    return files.slice(0, MAX_LOG_FILES).map((name) => `${path}/${name}`);
  };
  const names = runnableContainers(pod).map(({ name }) => name);
  const ownFiles = ["etc-hosts", "containers"].map((file) => `${rootDir}/pods/${pod.metadata.uid}/${file}`);
  return {
    logs: new Map(names.map((name) => [name, filesIn(`${folder}/${name}`)])),
    podLogs: filesIn(folder),
    volumes,
    ownFiles: ownFiles.filter((path) => kernel.changedAt(path) !== undefined),
  };
}

/** Where a pod's data lie on the node's disks. Pure but for the names of log files. */
import { type KernelFiles, type Pod, runnableContainers, type VolumeDirectory } from "@hooklet/core";
import { podLogDirectory } from "@hooklet/core/rules";

/** Each path is counted by itself. */
export interface PodPlaces {
  /** Log files by container. */
  readonly logs: ReadonlyMap<string, readonly string[]>;
  /** Log files that are no container's. */
  readonly podLogs: readonly string[];
  readonly volumes: readonly VolumeDirectory[];
  /** The hosts file that the agent writes; undefined on the host's network. */
  readonly etcHosts: string | undefined;
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
  const etcHosts = `${rootDir}/pods/${pod.metadata.uid}/etc-hosts`;
  return {
    logs: new Map(names.map((name) => [name, filesIn(`${folder}/${name}`)])),
    podLogs: filesIn(folder),
    volumes,
    etcHosts: kernel.changedAt(etcHosts) === undefined ? undefined : etcHosts,
  };
}

/** Which log directories and links go (evictPodLogsDirectories of the kubelet's kuberuntime_gc.go). Pure. */
import type { PodStates } from "./dead.js";

/** `<namespace>_<name>_<uid>`, or as very old kubelets had it the uid alone. */
export function podUidOfLogDirectory(name: string): string {
  return name.slice(name.lastIndexOf("_") + 1);
}

/** The names of those whose pod is gone; none before all sources are ready. */
export function logDirectoriesToRemove(
  names: readonly string[],
  { allSourcesReady, isDeleted }: Pick<PodStates, "allSourcesReady" | "isDeleted">,
): readonly string[] {
  return allSourcesReady ? names.filter((name) => isDeleted(podUidOfLogDirectory(name))) : [];
}

const CONTAINER_ID = /-([^-]{6,})\.log$/;

/** The id in the name of a link in /var/log/containers, `<pod>_<namespace>_<container>-<id>.log`; undefined when there is none: an id has at least 6 characters. */
export function containerIdOfLogLink(name: string): string | undefined {
  return CONTAINER_ID.exec(name)?.[1];
}

/**
 * Whether a link whose target is missing goes: the target of a container that has not exited may only be between two files of a log
 * rotation. `state` undefined: the name holds no container id, or its state cannot be read.
 */
export function deadLogLinkGoes(state: "created" | "running" | "exited" | "unknown" | undefined): boolean {
  return state === undefined || state === "exited";
}

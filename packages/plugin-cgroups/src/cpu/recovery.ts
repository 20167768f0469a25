/** Who has which processors, by the running containers themselves: should the state file be lost. No I/O. */
import { errorText, Labels, type NodeView } from "@hooklet/core";
import { parseCpuList } from "@hooklet/core/rules";
import type { StaticPolicy } from "./policy.js";

/** On the runtime's container: the processors that it was started with, alone. */
export const CPUS_ANNOTATION = "cpus.hooklet.dev/exclusive";

/** Restores the processors of running containers from their annotations, where no other container has them. Returns those that failed. */
export function adoptRunning(policy: StaticPolicy, containers: NodeView["containers"]): readonly string[] {
  return containers.flatMap(({ state, labels, annotations }) => {
    const [uid, name] = [labels[Labels.podUid] ?? "", labels[Labels.containerName] ?? ""];
    const saved = annotations[CPUS_ANNOTATION];
    if (saved === undefined || uid === "" || name === "" || state !== "CONTAINER_RUNNING") return [];
    if (policy.state.get(uid, name) !== undefined) return [];
    try {
      if (policy.adopt(uid, name, parseCpuList(saved, `annotation ${CPUS_ANNOTATION}`))) return [];
      return [`CPUs ${saved} of container ${name} of pod ${uid} are not free: it runs in the shared pool`];
    } catch (error) {
      return [`container ${name} of pod ${uid}: ${errorText(error)}`];
    }
  });
}

/** Who is started again after its end, and when all are (the kubelet's ShouldAllContainersRestart). Pure. */
import {
  allContainers,
  type Container,
  containerRestartPolicy,
  ephemeralContainers,
  initContainers,
  isSidecar,
  matchingRestartRule,
  type RestartPolicy,
} from "@hooklet/manifest";
import type { PodState } from "./state.js";

/** The reason of all containers that were removed to start again. */
export const RESTARTING_ALL_CONTAINERS = "RestartingAllContainers";

/** The restart policy of this container; once it has ended, its rules are evaluated too. */
export function policyOf(state: PodState, container: Container): RestartPolicy {
  if (ephemeralContainers(state.pod).includes(container)) return "Never";
  const isInit = initContainers(state.pod).includes(container);
  const now = state.containers[container.name];
  if (isInit && isSidecar(container)) return "Always";
  // An init container that has succeeded is done, whatever its rules say.
  const ended = now?.kind === "exited" && !(isInit && now.exit.exitCode === 0) ? now.exit : undefined;
  if (ended !== undefined && matchingRestartRule(container, ended.exitCode) !== undefined) return "Always";
  const policy = containerRestartPolicy(state.pod, container);
  return isInit && policy !== "Never" ? "OnFailure" : policy;
}

/** A container has ended in a way that restarts all of them, or a restart was requested: they are to be removed. */
export function isRestartingAll(state: PodState): boolean {
  if (state.life.kind === "terminating" || state.life.kind === "ended" || state.life.kind === "gone") return false;
  return state.restartRequested === true || allContainers(state.pod).some((container) => callsForAll(state, container));
}

/** Whether this container's end restarts all. */
export function callsForAll(state: PodState, container: Container): boolean {
  const now = state.containers[container.name];
  if (now?.kind !== "exited") return false;
  return matchingRestartRule(container, now.exit.exitCode)?.action === "RestartAllContainers";
}

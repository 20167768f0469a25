/** A pod whose containers were taken away to start anew (the kubelet's RestartAllContainers). Pure. */
import { allContainers, initContainers } from "@hooklet/manifest";
import { RESTARTING_ALL_CONTAINERS } from "./restart.js";
import type { ContainerState, PodState, Waiting } from "./state.js";

const MESSAGE = "The container is removed because RestartAllContainers in place";

/** Init containers run again; ephemeral ones stay as they are, and one that had not begun waits as before. */
export function containersReset(state: PodState): PodState {
  const names = new Set(allContainers(state.pod).map(({ name }) => name));
  const containers = Object.entries(state.containers).map(([name, container]) => [
    name,
    names.has(name) ? reset(container) : container,
  ]);
  return {
    ...state,
    containers: Object.fromEntries(containers),
    gates: Object.fromEntries(Object.entries(state.gates).filter(([name]) => !names.has(name))),
    initialized: initContainers(state.pod).length === 0,
  };
}

function reset(container: ContainerState): ContainerState {
  if (container.kind === "waiting") return container;
  const attempt = (container.kind === "exited" ? container.exit.attempt : container.attempt) + 1;
  const words = { reason: RESTARTING_ALL_CONTAINERS, message: MESSAGE };
  // The restart counts from now on, and nothing of the container is left that could be named.
  const last = { id: "", attempt, exitCode: 137, ...words, startedAt: 0, finishedAt: 0, seen: 0, imageRef: "" };
  return { kind: "waiting", attempt, ...words, last } satisfies Waiting;
}

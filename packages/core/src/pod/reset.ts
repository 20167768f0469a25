/** A pod whose containers were removed to start again (the kubelet's RestartAllContainers). Pure. */
import { allContainers, initContainers, mayRestartAllContainers } from "@hooklet/manifest";
import { type BackOff, backOffUntil, nextBackOff } from "@hooklet/utils";
import { callsForAll, RESTARTING_ALL_CONTAINERS } from "./restart.js";
import type { ContainerState, PodState, Waiting } from "./state.js";

const MESSAGE = "The container is removed because RestartAllContainers in place";

/**
 * Init containers run again; ephemeral ones stay as they are (KEP-5532), and one that had not begun waits as before. The back-off of
 * those that called for it holds them all: a pod that calls for it again and again costs the node no more than one container that does.
 * `now`: monotonic milliseconds.
 */
export function containersReset(state: PodState, now: number): PodState {
  const names = new Set(allContainers(state.pod).map(({ name }) => name));
  const { backOffs, notBefore } = heldBy(state, now);
  const { restartRequested: isAsked = false, ...rest } = state;
  const containers = Object.entries(state.containers).map(([name, container]) => [
    name,
    names.has(name) ? reset(container, notBefore, isAsked) : container,
  ]);
  return {
    ...rest,
    containers: Object.fromEntries(containers),
    gates: Object.fromEntries(Object.entries(state.gates).filter(([name]) => !names.has(name))),
    backOffs,
    initialized: initContainers(state.pod).length === 0,
  };
}

/** The attempts of a container that the runtime does not have, from its logs: an earlier agent removed it. */
export function attemptsKnown(state: PodState, name: string, attempts: number): PodState {
  const container = state.containers[name];
  if (container?.kind !== "waiting" || container.attempt >= attempts) return state;
  const known = mayRestartAllContainers(state.pod) ? takenAway(attempts) : { ...container, attempt: attempts };
  return { ...state, containers: { ...state.containers, [name]: known } };
}

/** The number of the attempt whose log is the last one. */
export function lastLogged({ last }: ContainerState): number | undefined {
  return last === undefined || last.id !== "" ? last?.attempt : last.attempt - 1;
}

function heldBy(state: PodState, now: number): { readonly backOffs: PodState["backOffs"]; readonly notBefore: number } {
  const backOffs: Record<string, BackOff> = { ...state.backOffs };
  let notBefore = now;
  const ends = allContainers(state.pod).flatMap((container) => {
    const called = state.containers[container.name];
    if (called?.kind !== "exited" || !callsForAll(state, container)) return [];
    notBefore = Math.max(notBefore, backOffUntil(backOffs[container.name], called.exit.seen));
    return [{ name: container.name, seen: called.exit.seen }];
  });
  for (const { name, seen } of ends) backOffs[name] = nextBackOff(backOffs[name], seen, notBefore);
  return { backOffs, notBefore: notBefore > now ? notBefore : Number.NEGATIVE_INFINITY };
}

/** `isAsked`: a requested restart does not wait for a back-off. */
function reset(container: ContainerState, notBefore: number, isAsked: boolean): ContainerState {
  if (container.kind === "waiting") {
    const { notBefore: _, ...atOnce } = container;
    return isAsked ? atOnce : container;
  }
  const attempt = (container.kind === "exited" ? container.exit.attempt : container.attempt) + 1;
  const waiting = takenAway(attempt);
  return notBefore === Number.NEGATIVE_INFINITY ? waiting : { ...waiting, notBefore };
}

/** The restart counts from now on, and nothing of the container is left that could be named. */
function takenAway(attempt: number): Waiting {
  const words = { reason: RESTARTING_ALL_CONTAINERS, message: MESSAGE };
  const last = { id: "", attempt, exitCode: 137, ...words, startedAt: 0, finishedAt: 0, seen: 0, imageRef: "" };
  return { kind: "waiting", attempt, ...words, last };
}

/** Why a pod is not Ready, in one sentence, and what to do, in another. Pure. */
import { podReady } from "@hooklet/core/base";
import { allContainers, hasEnded, isSidecar, type Pod } from "@hooklet/manifest";
import type { ContainerStatus } from "kubernetes-types/core/v1.js";
import { endedCause } from "./exits.js";
import { type Cause, type CauseFacts, deleteCommand, sentence, waitCommand } from "./facts.js";
import { objectsCause, podCause } from "./pod-cause.js";
import { probeCause, waitingCause } from "./waiting-cause.js";

/** As core tells where a pod stands. */
const REPLACED = "its manifest changed, the new one follows";

/** Undefined: the pod is Ready, or has done its work. */
export function causeOf(facts: CauseFacts): Cause | undefined {
  const { pod, decisions } = facts;
  const { phase, reason } = pod.status ?? {};
  // Its containers end because of that, not by themselves.
  if (decisions.some(({ outcome }) => outcome.includes(REPLACED)))
    return { cause: "The pod is being replaced: its manifest changed.", next: `Wait for it: ${waitCommand(pod)}.` };
  if (phase === "Succeeded") return undefined;
  if (phase === "Failed" && reason) return podCause(facts, reason);
  if (podReady(pod) && phase !== "Failed") return undefined;
  const runtime = /(?:^|; )runtime [^:]+: ([^;]+)/.exec(facts.unready ?? "")?.[1];
  if (runtime !== undefined) {
    return {
      cause: sentence(`The container runtime does not answer: ${runtime}`),
      next: "Start it again, such as with systemctl restart containerd; the node then recovers by itself.",
    };
  }
  if (pod.metadata.deletionTimestamp && !hasEnded(pod)) {
    return {
      cause: "The pod is being deleted and its containers have not ended yet.",
      next: `Wait for the grace period, or end them at once: ${deleteCommand(pod)} --grace-period 0.`,
    };
  }
  return containerCause(facts) ?? objectsCause(facts) ?? waitsCause(facts);
}

/** Init containers first, as they keep the others waiting. */
function containerCause(facts: CauseFacts): Cause | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = facts.pod.status ?? {};
  const all = [...initContainerStatuses, ...containerStatuses];
  for (const { name } of allContainers(facts.pod)) {
    const status = all.find((one) => one.name === name);
    const cause = status === undefined ? undefined : ofContainer(facts, status);
    if (cause !== undefined) return cause;
  }
  return undefined;
}

/** Reasons of a container that only waits for its turn. */
const PATIENT = ["ContainerCreating", "PodInitializing"];

function ofContainer(facts: CauseFacts, status: ContainerStatus): Cause | undefined {
  const { waiting, terminated, running } = status.state ?? {};
  const last = status.lastState?.terminated;
  if (terminated !== undefined) return terminated.exitCode === 0 ? undefined : endedCause(facts, status, terminated);
  if (waiting !== undefined) {
    if (PATIENT.includes(waiting.reason ?? "")) {
      return last === undefined || last.exitCode === 0 ? undefined : endedCause(facts, status, last);
    }
    if (waiting.reason === "CrashLoopBackOff" && last !== undefined) return endedCause(facts, status, last);
    return waitingCause(facts, status.name, waiting);
  }
  if (running === undefined || isDoneStarting(facts.pod, status)) return undefined;
  return (
    probeCause(facts, status) ??
    (last === undefined || last.exitCode === 0 ? undefined : endedCause(facts, status, last))
  );
}

/** A sidecar has to have started; a main container to be ready; an init container that runs does its work. */
function isDoneStarting(pod: Pod, { name, ready, started }: ContainerStatus): boolean {
  const init = pod.spec.initContainers?.find((container) => container.name === name);
  if (init === undefined) return ready;
  return isSidecar(init) ? ready && started === true : true;
}

/** Nothing failed: it waits for something. */
function waitsCause({ pod, decisions }: CauseFacts): Cause {
  const { conditions = [] } = pod.status ?? {};
  for (const { conditionType } of pod.spec.readinessGates ?? []) {
    const found = conditions.find(({ type }) => type === conditionType);
    if (found?.status === "True") continue;
    const said = found === undefined ? "missing" : `${found.status}${found.message ? ` (${found.message})` : ""}`;
    return {
      cause: `The containers are ready, but the pod's readiness gate ${conditionType} is ${said}.`,
      next: "The controller that owns this condition has to set it to True; without one, remove the readinessGates from the manifest.",
    };
  }
  const gates = pod.spec.schedulingGates ?? [];
  if (gates.length > 0) {
    return {
      cause: `The pod has the scheduling gate ${gates.map(({ name }) => name).join(", ")}.`,
      next: "The controller that set the gate has to remove it.",
    };
  }
  const postponed = decisions.find(({ outcome }) => outcome.startsWith("waits to be admitted ("));
  if (postponed !== undefined) {
    return {
      cause: `The pod is not admitted yet: ${/\((.*)\)/s.exec(postponed.outcome)?.[1] ?? postponed.outcome}.`,
      next: `The node asks again by itself: ${waitCommand(pod)}.`,
    };
  }
  const init = pod.status?.initContainerStatuses?.find(({ state }) => state?.running !== undefined);
  if (init !== undefined) {
    return {
      cause: `Init container ${init.name} has not finished yet; the other containers wait for it.`,
      next: `Look at what it does: hooklet logs ${pod.metadata.name} -c ${init.name} -f.`,
    };
  }
  return { cause: "The pod is being started.", next: `Wait for it: ${waitCommand(pod)}.` };
}

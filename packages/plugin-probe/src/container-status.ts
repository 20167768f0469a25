/** What probes say about a container's `started` and `ready` (the kubelet's UpdatePodStatus). Pure. */
import type { Result } from "./types.js";

export interface ContainerFacts {
  readonly running: boolean;
  readonly startup: Result | undefined;
  readonly hasStartupWorker: boolean;
  readonly readiness: Result | undefined;
  readonly hasReadinessWorker: boolean;
  /** It ran already when the agent started: what counts until there are results. */
  readonly remembered?: { readonly ready: boolean; readonly started: boolean };
  /** What the status says so far: kept while the container is not started. */
  readonly ready: boolean;
}

export interface ProbedStatus {
  readonly started: boolean;
  readonly ready: boolean;
  /** The readiness worker is to make a step now. */
  readonly triggerReadiness: boolean;
}

export function probedStatus(facts: ContainerFacts): ProbedStatus {
  const started = facts.running && isStarted(facts);
  if (!started) return { started, ready: facts.ready, triggerReadiness: false };
  if (facts.readiness === "success") return { started, ready: true, triggerReadiness: false };
  const assumed = facts.readiness === undefined && facts.remembered?.ready === true;
  const triggerReadiness = facts.hasReadinessWorker;
  return { started, ready: !facts.hasReadinessWorker || assumed, triggerReadiness };
}

function isStarted({ startup, hasStartupWorker, remembered }: ContainerFacts): boolean {
  if (startup !== undefined) return startup === "success";
  return !hasStartupWorker || remembered?.started === true;
}

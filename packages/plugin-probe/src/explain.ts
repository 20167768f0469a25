/** Decisions for `hooklet explain`: why a container is (not) ready, has (not) started, or is restarted. Pure. */
import { allContainers, containerSubject, type Decision, type NodeContext, type Pod } from "@hooklet/core";
import { containerRestartPolicy } from "@hooklet/core/rules";
import type { ProbeSpec, Result } from "./types.js";
import type { Finding, ProbeWorker } from "./worker/worker.js";

/** Recorded once for each change of what was found, also where that does not change the container's status. */
export function explainResult(
  { pods, decisions }: Pick<NodeContext, "pods" | "decisions">,
  worker: ProbeWorker,
  result: Result,
): void {
  if (worker.explained === result) return;
  worker.explained = result;
  const pod = pods.get(worker.podUid);
  if (pod === undefined) return;
  decisions.record({
    strategy: "thresholds",
    subject: containerSubject(pod, worker.container),
    considered: findings(worker).map(considered),
    outcome: outcomeOf(worker.spec, result, comesBack(pod, worker.container)),
  });
}

/** Killed by its probe it has no exit code that a rule could name yet. */
function comesBack(pod: Pod, name: string): boolean {
  const container = allContainers(pod).find((own) => own.name === name);
  return container !== undefined && containerRestartPolicy(pod, container) !== "Never";
}

function findings({ last, failures }: ProbeWorker): readonly Finding[] {
  return last === undefined || failures.includes(last) ? failures : [...failures, last];
}

function considered({ at, result, output }: Finding): Decision["considered"][number] {
  return {
    candidate: `probe at ${new Date(at).toISOString()}`,
    verdict: result,
    why: output === "" ? "no output" : output,
  };
}

function outcomeOf(spec: ProbeSpec, result: Result, restarts: boolean): string {
  const { kind, successThreshold, failureThreshold } = spec;
  const times = result === "success" ? successThreshold : failureThreshold;
  const threshold =
    result === "success" ? `successThreshold ${successThreshold}` : `failureThreshold ${failureThreshold}`;
  const word = result === "success" ? (times === 1 ? "success" : "successes") : times === 1 ? "failure" : "failures";
  const because = `${times} ${word} of the ${kind} probe in a row (${threshold})`;
  if (kind === "readiness") return `${result === "success" ? "ready" : "not ready"}: ${because}`;
  if (result === "success") return `${kind === "startup" ? "started" : "alive"}: ${because}`;
  return `${restarts ? "restarted" : "killed"}: ${because}`;
}

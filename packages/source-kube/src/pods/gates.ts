/** Readiness gates: conditions that others set in the API and the agent's pods wait for. */
import type { PodCondition, PodsPort } from "@hooklet/core";
import type { ApiPod } from "./api-pod.js";
import type { Condition } from "./status-merge.js";

/** Sets the conditions of a pod's readiness gates from the API, as far as they changed. */
export function tellGates(pods: Pick<PodsPort, "get" | "setCondition">, { metadata, spec, status }: ApiPod): void {
  const gates = spec.readinessGates ?? [];
  const shown = gates.length === 0 ? undefined : pods.get(metadata.uid);
  if (shown === undefined) return;
  for (const { conditionType: type } of gates) {
    const [ours, theirs] = [shown.status, status].map((one) => words(one?.conditions?.find((c) => c.type === type)));
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) pods.setCondition(metadata.uid, type, theirs);
  }
}

function words(condition: Condition | undefined): PodCondition | undefined {
  if (condition === undefined) return undefined;
  const { status, reason, message } = condition;
  return {
    status: status as PodCondition["status"],
    ...(reason !== undefined && reason !== "" && { reason }),
    ...(message !== undefined && message !== "" && { message }),
  };
}

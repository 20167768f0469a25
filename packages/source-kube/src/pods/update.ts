/** What the API lets be changed of a running pod, done without stopping the pod: an image is a container's alone. */

import type { Container, Pod, PodCondition, PodsPort } from "@hooklet/core";
import type { ApiPod } from "./api-pod.js";
import type { Condition } from "./status-patch.js";

/** Names of containers that must restart because their image changed. Pure. */
function redefined(before: Pod, after: Pod): readonly string[] {
  const images = new Map(containers(before).map(({ name, image }) => [name, image]));
  return containers(after).flatMap(({ name, image }) => {
    const old = images.get(name);
    return old === undefined || old === image ? [] : [name];
  });
}

/** True: the pod continues with its new manifest. */
export function applyInPlace(pods: Pick<PodsPort, "restartContainer">, before: Pod, after: Pod): boolean {
  for (const container of redefined(before, after)) {
    pods.restartContainer(
      { podUid: after.metadata.uid, container },
      { message: `Container ${container} definition changed, will be restarted` },
    );
  }
  return true;
}

function containers({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

// Readiness gates: conditions that others set in the API and the agent's pods wait for.

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

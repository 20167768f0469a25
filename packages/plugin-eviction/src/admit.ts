/** Who may come while the node is under pressure (pkg/kubelet/eviction Admit). Pure. */
import type { Pod } from "@hooklet/core";
import { isCriticalPod, qosClass, tolerates } from "@hooklet/core/rules";
import type { PressureCondition } from "./signals.js";
import { admissionMessage, EVICTED } from "./words/words.js";

const MEMORY_TAINT = { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" } as const;

/** The rejection, or undefined when the pod may come. Its message names the conditions in the order given. */
export function rejectedByPressure(
  pod: Pod,
  conditions: readonly PressureCondition[],
): { readonly reason: string; readonly message: string } | undefined {
  if (conditions.length === 0 || isCriticalPod(pod)) return undefined;
  const onlyMemory = conditions.length === 1 && conditions[0] === "MemoryPressure";
  if (onlyMemory) {
    if (qosClass(pod) !== "BestEffort") return undefined;
    if ((pod.spec.tolerations ?? []).some((one) => tolerates(one, MEMORY_TAINT))) return undefined;
  }
  return { reason: EVICTED, message: admissionMessage(conditions) };
}

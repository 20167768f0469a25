/** The kubelet's reasons, events and condition texts (pkg/kubelet/eviction, nodestatus/setters.go). Pure. */
import type { PressureCondition, StarvedResource } from "../signals.js";

export const EVICTED = "Evicted";

export const conditionOfVictim = { type: "DisruptionTarget", reason: "TerminationByKubelet" } as const;

/** A node event. */
export const thresholdMetEvent = {
  reason: "EvictionThresholdMet",
  message: (resource: StarvedResource): string => `Attempting to reclaim ${resource}`,
} as const;

export function admissionMessage(conditions: readonly PressureCondition[]): string {
  return `The node had condition: [${conditions.join(" ")}]. `;
}

interface Texts {
  readonly reason: string;
  readonly message: string;
}

const pressure: Readonly<Record<PressureCondition, Readonly<Record<"True" | "False", Texts>>>> = {
  MemoryPressure: {
    True: { reason: "KubeletHasInsufficientMemory", message: "kubelet has insufficient memory available" },
    False: { reason: "KubeletHasSufficientMemory", message: "kubelet has sufficient memory available" },
  },
  DiskPressure: {
    True: { reason: "KubeletHasDiskPressure", message: "kubelet has disk pressure" },
    False: { reason: "KubeletHasNoDiskPressure", message: "kubelet has no disk pressure" },
  },
  PIDPressure: {
    True: { reason: "KubeletHasInsufficientPID", message: "kubelet has insufficient PID available" },
    False: { reason: "KubeletHasSufficientPID", message: "kubelet has sufficient PID available" },
  },
};

export const pressureConditions = Object.keys(pressure) as readonly PressureCondition[];

/** A node condition as the API shows it. */
export interface ConditionStatus extends Texts {
  readonly status: "True" | "False";
}

export interface ConditionChange {
  readonly condition: ConditionStatus;
  /** The reason of the node event; undefined when nothing changed: reason, message and transition time stay then. */
  readonly event?: string;
}

/** @param previous undefined when the node has no such condition yet */
export function conditionChange(
  type: PressureCondition,
  underPressure: boolean,
  previous: ConditionStatus | undefined,
): ConditionChange {
  const status = underPressure ? "True" : "False";
  if (previous?.status === status) return { condition: previous };
  const texts = pressure[type][status];
  return { condition: { status, ...texts }, event: texts.reason.replace(/^Kubelet/, "Node") };
}

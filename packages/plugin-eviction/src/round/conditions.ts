/** Since when the node is under pressure, and what is shown of it. Pure. */
import type { PressureCondition } from "../signals.js";

/** Condition -> when it was last observed, in milliseconds. Old ones are kept. */
export type ObservedAt = ReadonlyMap<PressureCondition, number>;

export function observedAt(conditions: readonly PressureCondition[], before: ObservedAt, now: number): ObservedAt {
  return new Map([...before, ...conditions.map((condition) => [condition, now] as const)]);
}

/** Those observed less than `periodSeconds` ago, by name. */
export function reportedConditions(
  observed: ObservedAt,
  periodSeconds: number,
  now: number,
): readonly PressureCondition[] {
  return [...observed]
    .filter(([, at]) => now - at < periodSeconds * 1000)
    .map(([condition]) => condition)
    .sort();
}

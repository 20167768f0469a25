/** Pods of the tests. */
import type { Pod } from "@hooklet/core";
import { aPod, type PodParts } from "@hooklet/testkit";
import type { VictimsStrategy } from "../../src/index.js";
import { candidatesFor, kubelet, type Requirement, type Selection, selectVictims } from "../../src/internal.js";

export const CRITICAL = 2_000_000_000;

export function burstable(name: string, requests: Record<string, string>, parts: PodParts = {}): Pod {
  return aPod({ name, containers: [{ requests }], ...parts });
}

export function guaranteed(name: string, limits: Record<string, string>, parts: PodParts = {}): Pod {
  return aPod({ name, containers: [{ limits }], ...parts });
}

export function bestEffort(name: string, parts: PodParts = {}): Pod {
  return aPod({ name, ...parts });
}

export function critical(name: string, requests: Record<string, string>): Pod {
  return burstable(name, requests, { spec: { priority: CRITICAL } });
}

/** `{cpu: 500}` as a list. */
export function required(amounts: Readonly<Record<string, number>>): readonly Requirement[] {
  return Object.entries(amounts).map(([resource, quantity]) => ({ resource, quantity }));
}

export function select(
  pods: readonly Pod[],
  amounts: Readonly<Record<string, number>>,
  strategy: VictimsStrategy = kubelet,
  now = 0,
): Selection {
  const requirements = required(amounts);
  const preemptor = critical("crit", {});
  return selectVictims({ preemptor, pods, requirements, strategy, strategyName: "tested", now });
}

export function namesOf({ victims }: Selection): readonly string[] {
  return victims.map(({ pod }) => pod.metadata.name);
}

export function candidates(pods: readonly Pod[], requirements: readonly Requirement[]) {
  return candidatesFor(critical("crit", {}), pods, requirements);
}

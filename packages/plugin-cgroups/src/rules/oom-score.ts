/** oom_score_adj of containers (pkg/kubelet/qos/policy.go). Pure. */
import { type Container, isSidecar, type Pod } from "@hooklet/core";
import { isNodeCriticalPod, parseQuantity, podLevelResources, qosClass, quantityValue } from "@hooklet/core/rules";
import { claimedMemory } from "./claims.js";
import type { RuleOptions } from "./resource-config.js";

const GUARANTEED_OOM_SCORE = -997;
const BEST_EFFORT_OOM_SCORE = 1000;

/**
 * The order in which the kernel kills when memory runs out: Guaranteed and node critical pods last (-997), BestEffort first
 * (1000), Burstable between 3 and 999: the larger the container's share of the machine, the later.
 * @param memoryCapacity bytes of the machine
 */
export function oomScoreAdjust(
  pod: Pod,
  container: Container,
  memoryCapacity: number,
  options: RuleOptions = {},
): number {
  if (isNodeCriticalPod(pod)) return GUARANTEED_OOM_SCORE;
  const podLevel = options.podLevelResources ?? true;
  const quality = qosClass(pod, { podLevelResources: podLevel });
  if (quality === "Guaranteed") return GUARANTEED_OOM_SCORE;
  if (quality === "BestEffort") return BEST_EFFORT_OOM_SCORE;

  const requestOf = (one: Container): number =>
    memoryOf(one) + (options.draNodeAllocatableResources ? claimedMemory(pod, one.name) : 0);
  const remaining = podLevel ? remainingRequest(pod, requestOf) : 0;
  const scoreOf = (request: number): number => 1000 - share(request + remaining, memoryCapacity);
  let score = scoreOf(requestOf(container));
  if (isSidecarOf(pod, container)) {
    const least = Math.min(...pod.spec.containers.map(requestOf));
    score = Math.min(score, scoreOf(least));
  }
  if (score < 1000 + GUARANTEED_OOM_SCORE) return 1000 + GUARANTEED_OOM_SCORE;
  return score === BEST_EFFORT_OOM_SCORE ? score - 1 : score;
}

/** Thousandths of the capacity, truncated. */
function share(request: number, capacity: number): number {
  if (capacity <= 0) return 0;
  return Number((1000n * BigInt(Math.trunc(request))) / BigInt(Math.trunc(capacity)));
}

/** The pod-level request beyond its containers, divided among those that run together. */
function remainingRequest(pod: Pod, requestOf: (container: Container) => number): number {
  const text = podLevelResources(pod)?.requests?.memory;
  if (text === undefined) return 0;
  const together = [...pod.spec.containers, ...(pod.spec.initContainers ?? []).filter(isSidecar)];
  const rest = together.reduce((left, one) => left - requestOf(one), quantityValue(parseQuantity(String(text))));
  return rest <= 0 ? 0 : Math.trunc(rest / together.length);
}

function isSidecarOf(pod: Pod, container: Container): boolean {
  return isSidecar(container) && (pod.spec.initContainers ?? []).some(({ name }) => name === container.name);
}

function memoryOf({ resources }: Container): number {
  const text = resources?.requests?.memory;
  return text === undefined ? 0 : quantityValue(parseQuantity(String(text)));
}

/** memory.min, memory.low and memory.high on cgroup v2 (KEP-2570, gate MemoryQoS). Pure. */
import type { QosClass } from "@hooklet/core";

/**
 * `TieredReservation`: requests of Guaranteed pods are protected (memory.min), those of Burstable ones as far as possible
 * (memory.low). `None`: no protection. `before-1.36`: kubelets up to 1.35, which use memory.min for every request.
 */
export type MemoryReservationPolicy = "None" | "TieredReservation" | "before-1.36";

/** The protection of a pod's or container's memory request (bytes, above 0). */
export function protectedMemory(
  qosClass: QosClass,
  request: number,
  policy: MemoryReservationPolicy,
): Record<string, string> {
  const value = String(request);
  if (policy === "before-1.36") return { "memory.min": value };
  if (policy === "None" || qosClass === "BestEffort") return {};
  return qosClass === "Guaranteed" ? { "memory.min": value } : { "memory.low": value };
}

export interface ThrottlingInput {
  /** Bytes; 0 = none. */
  readonly request: number;
  /** Bytes: the container's limit, or what the node can give to pods. */
  readonly limit: number;
  /** Above 0, at most 1. */
  readonly factor: number;
  /** Bytes. */
  readonly pageSize: number;
}

/** Where the kernel begins to slow a container down: this share of the way from request to limit, in whole pages. */
export function throttlingPoint({ request, limit, factor, pageSize }: ThrottlingInput): number {
  return Math.floor((request + factor * (limit - request)) / pageSize) * pageSize;
}

/** memory.high; undefined where request equals limit, or where the point does not lie above the request. */
export function memoryHigh(input: ThrottlingInput): number | undefined {
  if (input.request === input.limit && input.request !== 0) return undefined;
  const point = throttlingPoint(input);
  return point > input.request ? point : undefined;
}

/** What must be freed, as a list that keeps its order (Kubernetes pkg/kubelet/preemption admissionRequirementList). Pure. */

import type { Pod, Rejection, ResourceShortfall } from "@hooklet/core";
import { isCriticalPod, missingAmount } from "@hooklet/core/rules";

/** cpu in milli-cores, memory and storage in bytes, all others as counts. Always above zero. */
export interface Requirement {
  readonly resource: string;
  readonly quantity: number;
}

/** What a pod gives back when it goes, by resource. */
export type Requests = Readonly<Record<string, number>>;

export function requirementOf(shortfall: ResourceShortfall): Requirement {
  return { resource: shortfall.resource, quantity: missingAmount(shortfall) };
}

/** What is still to be freed once these are gone; what is freed vanishes from the list. */
export function subtract(
  requirements: readonly Requirement[],
  gone: readonly { readonly requests: Requests }[],
): readonly Requirement[] {
  const left: Requirement[] = [];
  for (const { resource, quantity } of requirements) {
    let missing = quantity;
    for (const { requests } of gone) missing -= requests[resource] ?? 0;
    if (missing > 0) left.push({ resource, quantity: missing });
  }
  return left;
}

/** How far a pod is from giving all that is required: 0 = it alone is enough, at most the length of the list. */
export function distance(requirements: readonly Requirement[], requests: Requests): number {
  return distanceTo(
    requirements.map(({ quantity }) => quantity),
    requirements.map(({ resource }) => requests[resource] ?? 0),
  );
}

/** The same for numbers in one order. What is not above zero is not missing any more. */
export function distanceTo(quantities: readonly number[], amounts: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < quantities.length; i++) {
    const quantity = quantities[i] as number;
    const missing = quantity - (amounts[i] as number);
    if (quantity > 0 && missing > 0) sum += (missing / quantity) * (missing / quantity);
  }
  return sum;
}

/** The kubelet's wording: `[(res: cpu, q: 500), ]`. */
export function requirementsText(requirements: readonly Requirement[]): string {
  return `[${requirements.map(({ resource, quantity }) => `(res: ${resource}, q: ${quantity}), `).join("")}]`;
}

/** The reasons that stay, or what must be freed so that none does. */
export type Repair =
  | { readonly rejections: readonly Rejection[]; readonly requirements?: undefined }
  | { readonly requirements: readonly Requirement[] };

/** Only critical pods preempt others, and only when all rejections are for resources; other rejections stay. */
export function repairOf(pod: Pod, rejections: readonly Rejection[]): Repair {
  if (!isCriticalPod(pod)) return { rejections };
  const others = rejections.filter(({ shortfall }) => shortfall === undefined);
  if (others.length > 0) return { rejections: others };
  return {
    requirements: rejections.flatMap(({ shortfall }) => (shortfall === undefined ? [] : [requirementOf(shortfall)])),
  };
}

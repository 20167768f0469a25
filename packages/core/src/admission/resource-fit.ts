/** Do the pod's requests fit into what is left of the node? (Kubernetes scheduler noderesources fit). Pure. */

import type { Resources } from "@hooklet/manifest";
import { isScalarResource } from "@hooklet/manifest";
import type { ResourceShortfall } from "../hooks/verdict.js";
import type { NodeAccount } from "./account.js";

const FIRST = ["cpu", "memory", "ephemeral-storage"] as const;

/** Everything that the node has too little of: pods, cpu, memory, ephemeral-storage, then the others by name. */
export function shortfalls(requests: Resources, allocatable: Resources, account: NodeAccount): ResourceShortfall[] {
  const found: ResourceShortfall[] = [];
  const allowed = allocatable.pods ?? 0;
  if (account.pods + 1 > allowed) {
    found.push({ resource: "pods", requested: 1, used: account.pods, capacity: allowed });
  }
  for (const resource of [...FIRST, ...scalarNames(requests)]) {
    const requested = requests[resource] ?? 0;
    const capacity = allocatable[resource] ?? 0;
    const used = account.used(resource);
    if (requested > 0 && requested > capacity - used) found.push({ resource, requested, used, capacity });
  }
  return found;
}

/** Sorted, so that the first of several shortfalls is always the same one. The kubelet takes them in random order. */
function scalarNames(requests: Resources): string[] {
  const names: string[] = [];
  for (const resource in requests) {
    if (!FIRST.includes(resource as (typeof FIRST)[number]) && isScalarResource(resource)) names.push(resource);
  }
  return names.sort();
}

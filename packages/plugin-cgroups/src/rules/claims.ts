/** Resource claims that a pod holds against the node's own resources (KEP-5517, gate DRANodeAllocatableResources). Pure. */
import type { Pod } from "@hooklet/core";
import { addQuantities, parseQuantity, type Quantity, quantityOf, type ResourceList } from "@hooklet/core/rules";

interface ClaimStatus {
  readonly containers?: readonly string[];
  readonly mapping?: readonly { readonly name: string; readonly quantity: string }[];
  readonly overhead?: readonly { readonly name: string; readonly perPod?: string; readonly perContainer?: string }[];
}

/** `status.nodeAllocatableResourceClaimStatuses`; the installed Kubernetes types are older than this field. */
function claimsOf(pod: Pod): readonly ClaimStatus[] {
  const status = pod.status as { readonly nodeAllocatableResourceClaimStatuses?: readonly ClaimStatus[] } | undefined;
  return status?.nodeAllocatableResourceClaimStatuses ?? [];
}

/** What all claims add to the pod: mapping and perPod once, perContainer for each container that refers to the claim. */
export function claimedByPod(pod: Pod): ResourceList {
  const list: ResourceList = new Map();
  for (const { containers = [], mapping = [], overhead = [] } of claimsOf(pod)) {
    for (const { name, quantity } of mapping) add(list, name, parseQuantity(quantity));
    for (const { name, perPod, perContainer } of overhead) {
      if (perPod !== undefined) add(list, name, parseQuantity(perPod));
      if (perContainer !== undefined) add(list, name, times(parseQuantity(perContainer), containers.length));
    }
  }
  return list;
}

/** Bytes of memory that a container's claims add to its request: its share of mapping and perPod, and perContainer whole. */
export function claimedMemory(pod: Pod, container: string): number {
  let bytes = 0n;
  for (const { containers = [], mapping = [], overhead = [] } of claimsOf(pod)) {
    if (!containers.includes(container)) continue;
    const shared = [...mapping, ...overhead.map(({ name, perPod: quantity }) => ({ name, quantity }))];
    bytes += sumOfMemory(shared) / BigInt(containers.length);
    bytes += sumOfMemory(overhead.map(({ name, perContainer: quantity }) => ({ name, quantity })));
  }
  return Number(bytes);
}

function sumOfMemory(parts: readonly { readonly name: string; readonly quantity: string | undefined }[]): bigint {
  return parts.reduce((sum, { name, quantity }) => {
    if (name !== "memory" || quantity === undefined) return sum;
    const { nano } = parseQuantity(quantity);
    return sum + nano / 1_000_000_000n;
  }, 0n);
}

function add(list: ResourceList, resource: string, quantity: Quantity): void {
  list.set(resource, addQuantities(list.get(resource) ?? quantityOf(0), quantity));
}

function times(quantity: Quantity, count: number): Quantity {
  return { ...quantity, nano: quantity.nano * BigInt(count) };
}

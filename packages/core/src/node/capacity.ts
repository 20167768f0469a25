/** The node's capacity and allocatable (pkg/kubelet/nodestatus MachineInfo). Pure. */

import {
  formatQuantity,
  isExtendedResource,
  isHugePages,
  type Quantity,
  type QuantityTexts,
  quantityOf,
  type ResourceList,
  zeroQuantity,
} from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import { checkReservation, nodeReservation, parseSetting, type Reservations } from "./reservation.js";

/** What the machine reports. */
export interface MachineFacts {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Capacity of the file system that holds the root dir. */
  readonly diskBytes: number;
  readonly hugePages: readonly { readonly pageBytes: number; readonly pages: number }[];
}

export interface NodeAmounts {
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

/** Capacity by resource; `overrides` (quantities as in the rc) replace or add to what the machine says. */
export function machineCapacity(machine: MachineFacts, maxPods: number, overrides: QuantityTexts = {}): ResourceList {
  const capacity: ResourceList = new Map([
    ["cpu", quantityOf(machine.cpus)],
    ["memory", quantityOf(machine.memoryBytes, "BinarySI")],
    ["ephemeral-storage", quantityOf(machine.diskBytes, "BinarySI")],
    ["pods", quantityOf(maxPods)],
  ]);
  for (const { pageBytes, pages } of machine.hugePages) {
    const size = formatQuantity(quantityOf(pageBytes, "BinarySI"));
    capacity.set(`hugepages-${size}`, quantityOf(pages * pageBytes, "BinarySI"));
  }
  for (const [resource, quantity] of parseSetting(overrides, "node.capacity")) {
    if (!capacity.has(resource) && !isHugePages(resource) && !isExtendedResource(resource)) {
      const known = `${[...capacity.keys()].join(", ")}, hugepages-<size> or an extended resource`;
      throw invalid("node.capacity", `resources of a node (${known})`, resource);
    }
    capacity.set(resource, quantity);
  }
  return capacity;
}

/**
 * Capacity less reservations, never below zero. Huge pages come off memory too: what they hold is not ordinary memory.
 * @throws NodeAgentError when more is reserved than there is
 */
export function nodeAmounts(capacity: ResourceList, reservations: Reservations): NodeAmounts {
  checkReservation(capacity, reservations);
  const reserved = nodeReservation(capacity, reservations);
  const allocatable: ResourceList = new Map();
  for (const [resource, quantity] of capacity) allocatable.set(resource, less(quantity, reserved.get(resource)));
  const memory = allocatable.get("memory");
  if (memory) allocatable.set("memory", [...capacity].reduce(lessHugePages, memory));
  return { capacity, allocatable };
}

/** A list as the status of a Node shows it. */
export function toQuantityTexts(list: ResourceList): Record<string, string> {
  return Object.fromEntries([...list].map(([resource, quantity]) => [resource, formatQuantity(quantity)]));
}

function lessHugePages(memory: Quantity, [resource, quantity]: [string, Quantity]): Quantity {
  return isHugePages(resource) ? less(memory, quantity) : memory;
}

function less(from: Quantity, taken: Quantity = zeroQuantity): Quantity {
  const nano = from.nano - taken.nano;
  return { nano: nano < 0n ? 0n : nano, format: from.format };
}

/** What a node keeps back from pods (pkg/kubelet/cm GetNodeAllocatableReservation). */

import {
  addQuantities,
  compareQuantities as compare,
  formatQuantity,
  parseList,
  parseQuantity,
  type Quantity,
  type QuantityTexts,
  quantityOf,
  type ResourceList,
  quantityValue as value,
  zeroQuantity,
} from "@hooklet/manifest";
import { invalid, NodeAgentError } from "../errors.js";

/** How little may be left of something: an amount, or a share of the capacity (0.1 = 10 %). */
export type Threshold = { readonly quantity: Quantity } | { readonly percentage: number };

/** Signal (`memory.available`) -> threshold. */
export type Thresholds = ReadonlyMap<string, Threshold>;

export interface Reservations {
  readonly kubeReserved: ResourceList;
  readonly systemReserved: ResourceList;
  readonly evictionHard: Thresholds;
}

/** The signals that are taken off allocatable, and the resource each is about. */
const SIGNALS: Readonly<Record<string, string>> = {
  "memory.available": "memory",
  "nodefs.available": "ephemeral-storage",
};

/** The kubelet takes these as no threshold at all. */
const SWITCHED_OFF = ["0%", "100%"];

/** Reads `100Mi` or `10%`. @throws NodeAgentError naming `where` */
export function parseThreshold(text: string, where: string): Threshold {
  const expected = 'a quantity such as "100Mi" or a percentage from "0%" to "100%"';
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined) {
    // The kubelet holds shares as 32-bit floats; this decides the last bytes of a big disk.
    const percentage = Math.fround(Math.fround(Number(percent)) / 100);
    if (percentage > 1) throw invalid(where, expected, text);
    return { percentage };
  }
  try {
    const quantity = parseQuantity(text);
    if (quantity.nano >= 0n) return { quantity };
  } catch {
    // Told below, with the place.
  }
  throw invalid(where, expected, text);
}

/** The reservations of a configuration. @throws NodeAgentError naming the setting */
export function parseReservations(config: {
  readonly kubeReserved: QuantityTexts;
  readonly systemReserved: QuantityTexts;
  readonly evictionHard: QuantityTexts;
}): Reservations {
  return {
    kubeReserved: parseSetting(config.kubeReserved, "node.kubeReserved"),
    systemReserved: parseSetting(config.systemReserved, "node.systemReserved"),
    evictionHard: new Map(
      Object.entries(config.evictionHard)
        .filter(([, text]) => !SWITCHED_OFF.includes(text))
        .map(([signal, text]) => [signal, parseThreshold(text, `node.evictionHard["${signal}"]`)]),
    ),
  };
}

/** Quantities of a setting. @throws NodeAgentError naming it */
export function parseSetting(texts: QuantityTexts, where: string): ResourceList {
  const list: ResourceList = new Map();
  for (const [resource, text] of Object.entries(texts)) {
    try {
      const quantity = parseList({ [resource]: text }).get(resource);
      if (quantity && quantity.nano >= 0n) {
        list.set(resource, quantity);
        continue;
      }
    } catch {
      // Told below, with the place.
    }
    throw invalid(`${where}["${resource}"]`, 'a quantity such as "100m" or "1Gi", not below 0', text);
  }
  return list;
}

/** What is taken off each resource of `capacity`: system, kube and eviction reserve together; zeros are left out. */
export function nodeReservation(capacity: ResourceList, reservations: Reservations): ResourceList {
  const eviction = evictionReserve(capacity, reservations.evictionHard);
  const total: ResourceList = new Map();
  for (const resource of capacity.keys()) {
    const sum = [reservations.systemReserved, reservations.kubeReserved, eviction].reduce(
      (before, list) => addQuantities(before, list.get(resource) ?? zeroQuantity),
      zeroQuantity,
    );
    if (sum.nano !== 0n) total.set(resource, sum);
  }
  return total;
}

/** @throws NodeAgentError in the kubelet's words when more of a resource is reserved than there is */
export function checkReservation(capacity: ResourceList, reservations: Reservations): void {
  for (const [resource, reserved] of nodeReservation(capacity, reservations)) {
    const there = capacity.get(resource) ?? zeroQuantity;
    if (compare(reserved, there) <= 0) continue;
    throw new NodeAgentError(
      "INVALID",
      `invalid Node Allocatable configuration. Resource "${resource}" has a reservation of ` +
        `${formatQuantity(reserved)} but capacity of ${formatQuantity(there)}. Expected capacity >= reservation. ` +
        "Lower node.kubeReserved, node.systemReserved or node.evictionHard.",
    );
  }
}

function evictionReserve(capacity: ResourceList, thresholds: Thresholds): ResourceList {
  const list: ResourceList = new Map();
  for (const [signal, threshold] of thresholds) {
    const resource = Object.hasOwn(SIGNALS, signal) ? SIGNALS[signal] : undefined;
    if (resource === undefined) continue;
    if ("quantity" in threshold) list.set(resource, threshold.quantity);
    else {
      const whole = value(capacity.get(resource) ?? zeroQuantity);
      list.set(resource, quantityOf(Math.trunc(whole * Math.fround(threshold.percentage)), "BinarySI"));
    }
  }
  return list;
}

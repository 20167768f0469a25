/** The resources that a node reserves (pkg/kubelet/cm GetNodeAllocatableReservation). Pure. */

import {
  addQuantities,
  compareQuantities as compare,
  formatQuantity,
  parseList,
  type QuantityTexts,
  type ResourceList,
  quantityValue as value,
  zeroQuantity,
} from "@hooklet/manifest";
import { errorText, invalid, NodeAgentError, parseCpuList } from "@hooklet/utils";
import { parseThreshold, type Threshold, thresholdQuantity } from "../config/threshold.js";

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

/** The reservations of a configuration. @throws NodeAgentError naming the setting */
export function parseReservations(config: {
  readonly kubeReserved: QuantityTexts;
  readonly systemReserved: QuantityTexts;
  readonly evictionHard: QuantityTexts;
  readonly reservedSystemCPUs?: string;
}): Reservations {
  const { reservedSystemCPUs = "" } = config;
  const cpus = parseCpuList(reservedSystemCPUs, "node.reservedSystemCPUs").size;
  // As in the kubelet the list overwrites what both say of cpu.
  const [system, kube] =
    cpus === 0
      ? [config.systemReserved, config.kubeReserved]
      : [{ ...config.systemReserved, cpu: String(cpus) }, without(config.kubeReserved, "cpu")];
  return {
    kubeReserved: parseSetting(kube, "node.kubeReserved"),
    systemReserved: parseSetting(system, "node.systemReserved"),
    evictionHard: parseEvictionHard(config.evictionHard),
  };
}

function without(texts: QuantityTexts, resource: string): QuantityTexts {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => name !== resource));
}

function parseEvictionHard(texts: QuantityTexts): Thresholds {
  const thresholds = new Map<string, Threshold>();
  for (const [signal, text] of Object.entries(texts)) {
    try {
      const threshold = parseThreshold(signal, text);
      if (threshold !== undefined) thresholds.set(signal, threshold);
    } catch (error) {
      const expected = 'a quantity above 0 such as "100Mi" or a percentage from "0%" to "100%"';
      throw invalid(`node.evictionHard["${signal}"]`, `${expected} (${errorText(error)})`, text);
    }
  }
  return thresholds;
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
      // Reported below, with its place.
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

/** More of a resource is reserved than the node has. */
export interface Overcommitted {
  readonly resource: string;
  readonly reserved: string;
  readonly capacity: string;
  /** Settings that reserve some of it, the greatest first: `node.systemReserved.cpu`. */
  readonly settings: readonly string[];
}

/** All of them, with the kubelet's message for each. */
export class OvercommittedError extends NodeAgentError {
  constructor(readonly overcommitted: readonly Overcommitted[]) {
    const each = overcommitted.map(
      ({ resource, reserved, capacity }) =>
        `Resource "${resource}" has a reservation of ${reserved} but capacity of ${capacity}. Expected capacity >= reservation.`,
    );
    const lower = "Lower node.kubeReserved, node.systemReserved or node.evictionHard.";
    super("INVALID", `invalid Node Allocatable configuration. ${each.join(" ")} ${lower}`);
  }
}

/** @throws OvercommittedError when more of a resource is reserved than the node has */
export function checkReservation(capacity: ResourceList, reservations: Reservations): void {
  const over = [...nodeReservation(capacity, reservations)].flatMap(([resource, reserved]): Overcommitted[] => {
    const there = capacity.get(resource) ?? zeroQuantity;
    if (compare(reserved, there) <= 0) return [];
    const settings = settingsOf(resource, capacity, reservations);
    return [{ resource, reserved: formatQuantity(reserved), capacity: formatQuantity(there), settings }];
  });
  if (over.length > 0) throw new OvercommittedError(over);
}

function settingsOf(resource: string, capacity: ResourceList, reservations: Reservations): readonly string[] {
  const { systemReserved, kubeReserved, evictionHard } = reservations;
  const signal = [...evictionHard.keys()].find((one) => Object.hasOwn(SIGNALS, one) && SIGNALS[one] === resource);
  const all: readonly (readonly [string, ResourceList])[] = [
    [`node.systemReserved.${resource}`, systemReserved],
    [`node.kubeReserved.${resource}`, kubeReserved],
    [`node.evictionHard["${signal}"]`, evictionReserve(capacity, evictionHard)],
  ];
  const some = all.flatMap(([setting, list]) => {
    const quantity = list.get(resource);
    return quantity === undefined || quantity.nano === 0n ? [] : [{ setting, quantity }];
  });
  return some.sort((a, b) => compare(b.quantity, a.quantity)).map(({ setting }) => setting);
}

function evictionReserve(capacity: ResourceList, thresholds: Thresholds): ResourceList {
  const list: ResourceList = new Map();
  for (const [signal, threshold] of thresholds) {
    const resource = Object.hasOwn(SIGNALS, signal) ? SIGNALS[signal] : undefined;
    if (resource === undefined) continue;
    list.set(resource, thresholdQuantity(threshold, value(capacity.get(resource) ?? zeroQuantity)));
  }
  return list;
}

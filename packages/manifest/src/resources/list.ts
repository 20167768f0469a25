/** Lists of exact amounts by resource name, and the one way from an amount to the number that the node accounts with. Pure. */

import { NamePatterns } from "../names.js";
import { addQuantities, compare, milliValue, parseQuantity, type Quantity, value } from "./quantity.js";

// The kind of a resource by its name (Kubernetes pkg/apis/core/v1/helper).

const HUGE_PAGES_PREFIX = "hugepages-";
const MAX_PREFIX = 253;

export function isHugePages(resource: string): boolean {
  return resource.startsWith(HUGE_PAGES_PREFIX);
}

/** `vendor.example/gpu`: has a domain, which is not one of kubernetes.io, and is well formed. */
export function isExtendedResource(resource: string): boolean {
  if (!resource.includes("/") || isPrefixedNative(resource) || resource.startsWith("requests.")) return false;
  // Its name must fit in a quota.
  return isQualifiedName(`requests.${resource}`);
}

/** `name` or `dns.subdomain/name`: the form of label keys. */
export function isQualifiedName(text: string): boolean {
  const [first = "", second, ...rest] = text.split("/");
  if (rest.length > 0) return false;
  if (second === undefined) return isName(first);
  return first.length <= MAX_PREFIX && NamePatterns.subdomain.test(first) && isName(second);
}

/** The form of label values; they may be empty. */
export function isLabelValue(text: string): boolean {
  return text === "" || isName(text);
}

function isName(text: string): boolean {
  return text.length <= 63 && NamePatterns.qualified.test(text);
}

/** `something.kubernetes.io/name`. */
function isPrefixedNative(resource: string): boolean {
  return resource.includes("kubernetes.io/");
}

/** Resources beyond cpu, memory and ephemeral-storage that a node accounts for. */
export function isScalarResource(resource: string): boolean {
  return (
    isExtendedResource(resource) ||
    isHugePages(resource) ||
    isPrefixedNative(resource) ||
    resource.startsWith("attachable-volumes-")
  );
}

/** Resources that `spec.resources` of a pod may set; others there are ignored. */
export function isPodLevelResource(resource: string): boolean {
  return resource === "cpu" || resource === "memory" || isHugePages(resource);
}

/** Resource amounts by name: cpu in milli-cores, memory, ephemeral-storage and hugepages in bytes, others as counts. */
export type Resources = Readonly<Record<string, number>>;

export type ResourceList = Map<string, Quantity>;

/** Quantities as they stand in a manifest. */
export type QuantityTexts = Readonly<Record<string, string>>;

/** @throws Error naming the resource and its text when one is no quantity */
export function parseList(texts: QuantityTexts | undefined): ResourceList {
  const list: ResourceList = new Map();
  for (const [resource, text] of Object.entries(texts ?? {})) {
    try {
      // YAML reads `cpu: 1` as a number.
      list.set(resource, parseQuantity(String(text)));
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${resource}: ${JSON.stringify(text)} is no quantity: ${why}`, { cause });
    }
  }
  return list;
}

export function addList(into: ResourceList, list: ResourceList): void {
  for (const [resource, quantity] of list) {
    const sum = into.get(resource);
    into.set(resource, sum ? addQuantities(sum, quantity) : quantity);
  }
}

/** Raises each amount of `into` to that of `list` where that is greater. */
export function maxList(into: ResourceList, list: ResourceList): void {
  for (const [resource, quantity] of list) {
    const before = into.get(resource);
    if (!before || compare(quantity, before) > 0) into.set(resource, quantity);
  }
}

/** Milli-cores for cpu, whole bytes or counts for all others; rounded up. */
export function amountOf(resource: string, quantity: Quantity): number {
  return resource === "cpu" ? milliValue(quantity) : value(quantity);
}

export function toResources(list: ResourceList): Resources {
  const resources: Record<string, number> = {};
  for (const [resource, quantity] of list) resources[resource] = amountOf(resource, quantity);
  return resources;
}

/** The kind of a resource by its name (Kubernetes pkg/apis/core/v1/helper). Pure. */

import { NamePatterns } from "../names.js";

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

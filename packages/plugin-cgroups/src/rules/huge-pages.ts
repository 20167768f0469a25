/** Huge pages: resource names, the kernel's file names, and limits. Pure. */
import { amountOf, isHugePages, parseQuantity, type QuantityTexts, quantityValue } from "@hooklet/core/rules";
import type { HugePageLimits } from "./resource-config.js";

const PREFIX = "hugepages-";
const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

/** No limit as the kubelet writes it: 2^62. */
export const UNBOUNDED_HUGE_PAGES = 2 ** 62;

/** Bytes of `hugepages-2Mi`; undefined for other resources and for sizes that are no quantity (`hugepages-2MB`). */
function pageSizeOf(resource: string): number | undefined {
  if (!isHugePages(resource)) return undefined;
  try {
    return quantityValue(parseQuantity(resource.slice(PREFIX.length)));
  } catch {
    // The kubelet skips it as well.
    return undefined;
  }
}

/** `2MB`: how the kernel names a page size in hugetlb.* files. */
export function pageSizeName(bytes: number): string {
  let size = bytes;
  let unit = 0;
  for (; size > 0 && size % 1024 === 0 && unit < UNITS.length - 1; unit++) size /= 1024;
  return `${size}${UNITS[unit] ?? ""}`;
}

/** Limits of a pod from its requests: bytes by page size; one size under two names is summed. */
export function hugePageLimits(requests: Readonly<Record<string, number>>): HugePageLimits {
  const limits = new Map<number, number>();
  for (const [resource, amount] of Object.entries(requests)) {
    const size = pageSizeOf(resource);
    if (size !== undefined) limits.set(size, (limits.get(size) ?? 0) + amount);
  }
  return limits;
}

/** A container's huge page limits: one for each page size of the machine (`2MB`), 0 without a request. */
export function containerHugePageLimits(
  limits: QuantityTexts | undefined,
  machineSizes: readonly string[],
): { readonly pageSize: string; readonly limit: number }[] {
  const asked = new Map<string, number>();
  for (const [resource, text] of Object.entries(limits ?? {})) {
    const size = pageSizeOf(resource);
    if (size !== undefined) asked.set(pageSizeName(size), amountOf(resource, parseQuantity(String(text))));
  }
  return machineSizes.map((pageSize) => ({ pageSize, limit: asked.get(pageSize) ?? 0 }));
}

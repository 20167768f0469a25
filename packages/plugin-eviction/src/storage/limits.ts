/** What a pod may store on the node: emptyDir sizeLimits and limits of ephemeral-storage. Pure. */
import type { Pod } from "@hooklet/core";
import { formatQuantity, parseQuantity, podLimitList, type Quantity } from "@hooklet/core/rules";

export interface Limit {
  /** Whole bytes: what is used is over the limit when it is more than these. */
  readonly bytes: number;
  /** In canonical form. */
  readonly text: string;
}

export interface StorageLimits {
  /** Volume -> limit, above 0. */
  readonly emptyDirs: ReadonlyMap<string, Limit>;
  /** All containers together; 0 is a limit too. */
  readonly pod: Limit | undefined;
  /** Main container -> limit, not 0. */
  readonly containers: ReadonlyMap<string, Limit>;
}

const NANO = 1_000_000_000n;

function limitOf(quantity: Quantity): Limit {
  return { bytes: Number(quantity.nano / NANO), text: formatQuantity(quantity) };
}

/** By spec: a pod with a newer status is another object with the same spec. */
const cached = new WeakMap<Pod["spec"], StorageLimits>();

export function storageLimits(pod: Pod): StorageLimits {
  const known = cached.get(pod.spec);
  if (known !== undefined) return known;
  const limits = read(pod);
  cached.set(pod.spec, limits);
  return limits;
}

export function hasStorageLimits(pod: Pod): boolean {
  return isLimited(storageLimits(pod));
}

export function isLimited({ emptyDirs, pod, containers }: StorageLimits): boolean {
  return pod !== undefined || emptyDirs.size > 0 || containers.size > 0;
}

function read(pod: Pod): StorageLimits {
  const emptyDirs = new Map<string, Limit>();
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit === undefined ? undefined : parseQuantity(String(emptyDir.sizeLimit));
    if (limit !== undefined && limit.nano > 0n) emptyDirs.set(name, limitOf(limit));
  }
  const containers = new Map<string, Limit>();
  for (const { name, resources } of pod.spec.containers) {
    const text = resources?.limits?.["ephemeral-storage"];
    const limit = text === undefined ? undefined : parseQuantity(String(text));
    if (limit !== undefined && limit.nano !== 0n) containers.set(name, limitOf(limit));
  }
  const total = podLimitList(pod).get("ephemeral-storage");
  return { emptyDirs, pod: total && limitOf(total), containers };
}

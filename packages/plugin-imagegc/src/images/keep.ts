/** Which images may go at all, and why the others stay whatever the disk looks like. Pure. */
import type { Detection } from "./detect.js";
import { protectedBy, repositoryOf } from "./pattern.js";
import type { ImagePolicy } from "./policy.js";
import { elapsed, type ImageRecord, type ImageRecords } from "./record.js";

export type KeptVerdict = "in use" | "pinned" | "protected" | "kept newest" | "used recently";

export interface Kept {
  readonly image: ImageRecord;
  readonly verdict: KeptVerdict;
  /** Who uses it. */
  readonly users?: readonly string[];
  /** Of option `protect`. */
  readonly pattern?: string;
}

export interface Sorted {
  /** In the kubelet's order: by last use, then by first detection; of equals by key. */
  readonly candidates: readonly ImageRecord[];
  readonly kept: readonly Kept[];
}

/** Candidates are neither in use nor pinned (the kubelet's imagesInEvictionOrder), nor kept by an option beyond the kubelet. */
export function candidatesOf(
  { records, inUse }: { readonly records: ImageRecords; readonly inUse: Detection["inUse"] },
  policy: ImagePolicy,
  now: number,
): Sorted {
  const newest = newestOfEach(records.values(), policy.keepPulled);
  const candidates: ImageRecord[] = [];
  const kept: Kept[] = [];
  for (const image of records.values()) {
    const reason = reasonToStay(image, inUse.get(image.key), newest, policy, now);
    if (reason === undefined) candidates.push(image);
    else kept.push({ image, ...reason });
  }
  return { candidates: candidates.sort(byLastUse), kept };
}

function reasonToStay(
  image: ImageRecord,
  users: readonly string[] | undefined,
  newest: ReadonlySet<ImageRecord>,
  policy: ImagePolicy,
  now: number,
): Omit<Kept, "image"> | undefined {
  if (users !== undefined) return { verdict: "in use", users };
  if (image.pinned) return { verdict: "pinned" };
  const pattern = protectedBy(policy.protect, image);
  if (pattern !== undefined) return { verdict: "protected", pattern };
  if (newest.has(image)) return { verdict: "kept newest" };
  const delayed = image.lastUsed !== undefined && elapsed(image.lastUsed, now) < policy.reclaimDelay;
  return delayed ? { verdict: "used recently" } : undefined;
}

function newestOfEach(images: Iterable<ImageRecord>, count: number): ReadonlySet<ImageRecord> {
  const newest = new Set<ImageRecord>();
  if (count === 0) return newest;
  const repositories = new Map<string, ImageRecord[]>();
  for (const image of images) {
    for (const repository of new Set(image.names.map(repositoryOf))) {
      const own = repositories.get(repository);
      if (own === undefined) repositories.set(repository, [image]);
      else own.push(image);
    }
  }
  for (const own of repositories.values()) {
    for (const image of own.sort(byDetectionNewestFirst).slice(0, count)) newest.add(image);
  }
  return newest;
}

/** Never used first, then by last use; equals by first detection, then by key so that the order is always the same. */
function byLastUse(a: ImageRecord, b: ImageRecord): number {
  return byTime(a.lastUsed, b.lastUsed) || byTime(a.firstDetected, b.firstDetected) || byText(a.key, b.key);
}

function byDetectionNewestFirst(a: ImageRecord, b: ImageRecord): number {
  return byTime(b.firstDetected, a.firstDetected) || byText(b.names.join(), a.names.join()) || byText(b.key, a.key);
}

function byTime(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  return (a ?? Number.NEGATIVE_INFINITY) < (b ?? Number.NEGATIVE_INFINITY) ? -1 : 1;
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

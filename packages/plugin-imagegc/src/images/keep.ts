/** Which images may be removed, and why the others stay regardless of disk usage. Pure. */

import type { ImagePolicy } from "./image-policy.js";
import type { Detection, ImageRecord, ImageRecords } from "./image-records.js";

export type KeptVerdict = "in use" | "pinned" | "protected";

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

/** Candidates are neither in use nor pinned (the kubelet's imagesInEvictionOrder), nor protected by name. */
export function candidatesOf(
  { records, inUse }: { readonly records: ImageRecords; readonly inUse: Detection["inUse"] },
  { protect }: Pick<ImagePolicy, "protect">,
): Sorted {
  const candidates: ImageRecord[] = [];
  const kept: Kept[] = [];
  for (const image of records.values()) {
    const reason = reasonToStay(image, inUse.get(image.key), protect);
    if (reason === undefined) candidates.push(image);
    else kept.push({ image, ...reason });
  }
  return { candidates: candidates.sort(byLastUse), kept };
}

function reasonToStay(
  image: ImageRecord,
  users: readonly string[] | undefined,
  protect: readonly string[],
): Omit<Kept, "image"> | undefined {
  if (users !== undefined) return { verdict: "in use", users };
  if (image.pinned) return { verdict: "pinned" };
  const pattern = protectedBy(protect, image);
  return pattern === undefined ? undefined : { verdict: "protected", pattern };
}

/** Never used first, then by last use; equals by first detection, then by key so that the order is always the same. */
function byLastUse(a: ImageRecord, b: ImageRecord): number {
  return byTime(a.lastUsed, b.lastUsed) || byTime(a.firstDetected, b.firstDetected) || byText(a.key, b.key);
}

function byTime(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  return (a ?? Number.NEGATIVE_INFINITY) < (b ?? Number.NEGATIVE_INFINITY) ? -1 : 1;
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

const HUB = "docker.io/";
const LIBRARY = "library/";

/**
 * Whether one of the image's names matches: `*` matches any text. A pattern without a tag matches every tag of its repository,
 * and names of Docker Hub match in their short spellings as well. The id matches too.
 */
export function protectedBy(patterns: readonly string[], image: Pick<ImageRecord, "names" | "id">): string | undefined {
  if (patterns.length === 0) return undefined;
  const spellings = new Set([image.id]);
  for (const name of image.names) {
    for (const one of [name, repositoryOf(name)]) {
      spellings.add(one);
      if (!one.startsWith(HUB)) continue;
      const short = one.slice(HUB.length);
      spellings.add(short).add(short.startsWith(LIBRARY) ? short.slice(LIBRARY.length) : short);
    }
  }
  for (const pattern of patterns) for (const spelling of spellings) if (fits(pattern, spelling)) return pattern;
  return undefined;
}

/** The name without tag and digest. */
export function repositoryOf(name: string): string {
  const at = name.indexOf("@");
  const beforeDigest = at < 0 ? name : name.slice(0, at);
  const colon = beforeDigest.lastIndexOf(":");
  return colon > beforeDigest.lastIndexOf("/") ? beforeDigest.slice(0, colon) : beforeDigest;
}

/** Greedy, with one place to fall back to: no pattern takes longer than its length times that of the text. */
function fits(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let after = 0;
  let i = 0;
  while (i < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      after = i;
    } else if (pattern[at] === text[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++after;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

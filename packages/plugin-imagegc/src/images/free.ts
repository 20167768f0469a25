/** The two walks over the candidates: for age and for space. Without I/O; see round.ts. Pure. */
import type { ImagePolicy } from "./policy.js";
import { elapsed, type ImageRecord } from "./record.js";
import { deletionFailed, oldDeletionFailed } from "./words.js";

/** The label `reason` of kubelet_image_garbage_collected_total. */
export type RemovalReason = "age" | "space";

export interface Removal {
  readonly kind: "remove";
  readonly image: ImageRecord;
  readonly reason: RemovalReason;
}

export type OutcomeVerdict =
  | "removed"
  | "failed"
  | "too young"
  | "used since"
  | "enough freed"
  | "enough room"
  | "next round";

/** What became of one candidate. */
export interface Outcome {
  readonly image: ImageRecord;
  readonly verdict: OutcomeVerdict;
  /** Of a removal, also one that failed. */
  readonly reason?: RemovalReason;
  /** Why it could not be removed. */
  readonly error?: string;
}

/** How a removal went: an error's text, or that somebody has begun to use the image meanwhile. */
export interface RemovalAnswer {
  readonly error?: string;
  readonly inUse?: boolean;
}

type Walk<Result> = Generator<Removal, Result, RemovalAnswer>;

export interface AgeWalk {
  readonly outcomes: readonly Outcome[];
  /** Who is still there, in order. */
  readonly remaining: readonly ImageRecord[];
  /** Bytes, by the sizes of the removed images. */
  readonly freed: number;
  readonly error?: string;
}

/**
 * Removes what nobody has used for longer than the maximum age; the minimum age plays no part. Not before the loop has run for
 * longer than that: until then an image may only look unused (freeOldImages). `budget`: bytes after which the rest is left.
 */
export function* freeOld(
  images: readonly ImageRecord[],
  policy: Pick<ImagePolicy, "maxAge">,
  budget: number,
  { now, began }: { readonly now: number; readonly began: number },
): Walk<AgeWalk> {
  const { maxAge } = policy;
  if (maxAge === 0 || now - began <= maxAge) return { outcomes: [], remaining: images, freed: 0 };
  let freed = 0;
  const outcomes: Outcome[] = [];
  const remaining: ImageRecord[] = [];
  const errors: string[] = [];
  for (const image of images) {
    if (elapsed(image.lastUsed, now) <= maxAge || freed >= budget) {
      remaining.push(image);
      continue;
    }
    const answer = yield { kind: "remove", image, reason: "age" };
    const one = outcome(image, "age", answer);
    outcomes.push(one);
    if (one.error !== undefined) errors.push(one.error);
    if (one.verdict === "removed") freed += image.size;
    if (one.verdict === "failed") remaining.push(image);
  }
  const walked = { outcomes, remaining, freed };
  return errors.length === 0 ? walked : { ...walked, error: oldDeletionFailed(maxAge, errors) };
}

export interface SpaceWalk {
  readonly outcomes: readonly Outcome[];
  /** Bytes, by the sizes of the removed images. */
  readonly freed: number;
  /** The walk ended because of its byte budget. */
  readonly budgetSpent: boolean;
  readonly error?: string;
}

/**
 * Removes images in order until `goal` bytes are freed, which is looked at after a removal, so that one goes in any case. Those
 * used since the round began and those younger than the minimum age stay. A failed removal does not stop the walk (freeSpace).
 * `budget`: bytes after which the rest is left to the next round; 0 = all of it.
 */
export function* freeSpace(
  images: readonly ImageRecord[],
  goal: number,
  { minAge }: Pick<ImagePolicy, "minAge">,
  budget: number,
  now: number,
): Walk<SpaceWalk> {
  const outcomes: Outcome[] = [];
  const errors: string[] = [];
  let freed = 0;
  let ended: "enough freed" | "next round" | undefined = budget <= 0 ? "next round" : undefined;
  for (const image of images) {
    if (ended !== undefined) outcomes.push({ image, verdict: ended });
    else if (image.lastUsed !== undefined && image.lastUsed >= now) outcomes.push({ image, verdict: "used since" });
    else if (elapsed(image.firstDetected, now) < minAge) outcomes.push({ image, verdict: "too young" });
    else {
      const one = outcome(image, "space", yield { kind: "remove", image, reason: "space" });
      outcomes.push(one);
      if (one.error !== undefined) errors.push(one.error);
      if (one.verdict !== "removed") continue;
      freed += image.size;
      if (freed >= goal) ended = "enough freed";
      else if (freed >= budget) ended = "next round";
    }
  }
  const result = { outcomes, freed, budgetSpent: ended === "next round" };
  return errors.length === 0 ? result : { ...result, error: deletionFailed(goal, freed, errors) };
}

function outcome(image: ImageRecord, reason: RemovalReason, { error, inUse }: RemovalAnswer): Outcome {
  if (inUse === true) return { image, verdict: "used since" };
  return error === undefined ? { image, verdict: "removed", reason } : { image, verdict: "failed", reason, error };
}

/**
 * One round of image garbage collection without I/O: a generator that yields requests and gets answers. The loop performs
 * them, a dry run assumes success; both get the same decisions. Pure.
 */

import { bytesToFree, type DiskUsage, type ImagePolicy, usagePercent } from "./image-policy.js";
import { elapsed, type ImageRecord } from "./image-records.js";
import { deletionFailed, invalidCapacity, notEnoughFreed, oldDeletionFailed } from "./messages.js";

/** The label `reason` of kubelet_image_garbage_collected_total. */
export type RemovalReason = "age" | "space";

export interface Removal {
  readonly kind: "remove";
  readonly image: ImageRecord;
  readonly reason: RemovalReason;
}

export type OutcomeVerdict = "removed" | "failed" | "too young" | "used since" | "enough freed" | "enough room";

/** What became of one candidate. */
export interface Outcome {
  readonly image: ImageRecord;
  readonly verdict: OutcomeVerdict;
  /** Of a removal, also one that failed. */
  readonly reason?: RemovalReason;
  /** Why it could not be removed. */
  readonly error?: string;
}

/** The answer to a removal: an error's text, or that the image came into use meanwhile. */
export interface RemovalAnswer {
  readonly error?: string;
  readonly inUse?: boolean;
}

type Walk<Result> = Generator<Removal, Result, RemovalAnswer>;

export interface AgeWalk {
  readonly outcomes: readonly Outcome[];
  /** Who is still there, in order. */
  readonly remaining: readonly ImageRecord[];
  readonly error?: string;
}

/**
 * Removes images unused for longer than the maximum age, regardless of the minimum age. Not before the loop has run for
 * longer than that: until then an image may only look unused (freeOldImages).
 */
export function* freeOld(
  images: readonly ImageRecord[],
  policy: Pick<ImagePolicy, "maxAge">,
  { now, began }: { readonly now: number; readonly began: number },
): Walk<AgeWalk> {
  const { maxAge } = policy;
  if (maxAge === 0 || now - began <= maxAge) return { outcomes: [], remaining: images };
  const outcomes: Outcome[] = [];
  const remaining: ImageRecord[] = [];
  const errors: string[] = [];
  for (const image of images) {
    if (elapsed(image.lastUsed, now) <= maxAge) {
      remaining.push(image);
      continue;
    }
    const answer = yield { kind: "remove", image, reason: "age" };
    const one = outcome(image, "age", answer);
    outcomes.push(one);
    if (one.error !== undefined) errors.push(one.error);
    if (one.verdict === "failed") remaining.push(image);
  }
  const walked = { outcomes, remaining };
  return errors.length === 0 ? walked : { ...walked, error: oldDeletionFailed(maxAge, errors) };
}

export interface SpaceWalk {
  readonly outcomes: readonly Outcome[];
  /** Bytes, by the sizes of the removed images. */
  readonly freed: number;
  readonly error?: string;
}

/**
 * Removes images in order until `goal` bytes are freed; the first one is removed in any case. Images used since the round
 * began and those younger than the minimum age stay. A failed removal does not stop the walk (freeSpace).
 */
export function* freeSpace(
  images: readonly ImageRecord[],
  goal: number,
  { minAge }: Pick<ImagePolicy, "minAge">,
  now: number,
): Walk<SpaceWalk> {
  const outcomes: Outcome[] = [];
  const errors: string[] = [];
  let freed = 0;
  let enough = false;
  for (const image of images) {
    if (enough) outcomes.push({ image, verdict: "enough freed" });
    else if (image.lastUsed !== undefined && image.lastUsed >= now) outcomes.push({ image, verdict: "used since" });
    else if (elapsed(image.firstDetected, now) < minAge) outcomes.push({ image, verdict: "too young" });
    else {
      const one = outcome(image, "space", yield { kind: "remove", image, reason: "space" });
      outcomes.push(one);
      if (one.error !== undefined) errors.push(one.error);
      if (one.verdict !== "removed") continue;
      freed += image.size;
      enough = freed >= goal;
    }
  }
  const result = { outcomes, freed };
  return errors.length === 0 ? result : { ...result, error: deletionFailed(goal, freed, errors) };
}

function outcome(image: ImageRecord, reason: RemovalReason, { error, inUse }: RemovalAnswer): Outcome {
  if (inUse === true) return { image, verdict: "used since" };
  return error === undefined ? { image, verdict: "removed", reason } : { image, verdict: "failed", reason, error };
}

/** A request of the round: remove an image, or read the disk usage. */
export type Request = Removal | { readonly kind: "usage" };

/** The answer; for `usage` the numbers or an error. */
export interface Answer extends RemovalAnswer {
  readonly usage?: DiskUsage;
}

export type Round = Generator<Request, RoundResult, Answer>;

export interface RoundInput {
  /** In the order in which they go. */
  readonly candidates: readonly ImageRecord[];
  readonly policy: ImagePolicy;
  /** When the round begins; images used since then stay. */
  readonly now: number;
  /** When the loop began: the age step waits until it has run for longer than the maximum age. */
  readonly began: number;
}

export interface RoundResult {
  /** What became of each candidate, in order. */
  readonly outcomes: readonly Outcome[];
  /** Bytes that the space step freed, by the sizes of the images. */
  readonly freed: number;
  readonly usage?: DiskUsage;
  readonly usagePercent?: number;
  /** Bytes that the space step was to free; absent below the high mark. */
  readonly bytesToFree?: number;
  /** Why the round failed, with the kubelet's message and its event reason where it has one. */
  readonly failure?: { readonly message: string; readonly event?: "InvalidDiskCapacity" | "FreeDiskSpaceFailed" };
}

/** Age step, then the disk's numbers, then the space step if the high mark is reached (GarbageCollect of the kubelet). */
export function* imageRound({ candidates, policy, now, began }: RoundInput): Round {
  const old = yield* freeOld(candidates, policy, { now, began });
  if (old.error !== undefined) return failed(old.outcomes, 0, { message: old.error });
  const { usage, error } = yield { kind: "usage" };
  if (usage === undefined)
    return failed(old.outcomes, 0, { message: error ?? "the image filesystem's usage is unknown" });
  if (usage.capacityBytes === 0) {
    return failed(old.outcomes, 0, { message: invalidCapacity, event: "InvalidDiskCapacity" });
  }
  const used = usagePercent(usage);
  const seen = { usage, usagePercent: used };
  if (used < policy.highThresholdPercent) {
    const spared = old.remaining.map((image): Outcome => ({ image, verdict: "enough room" }));
    return { outcomes: [...old.outcomes, ...spared], freed: 0, ...seen };
  }
  const goal = bytesToFree(usage, policy.lowThresholdPercent);
  const space = yield* freeSpace(old.remaining, goal, policy, now);
  const outcomes = [...old.outcomes, ...space.outcomes];
  const result = { outcomes, freed: space.freed, bytesToFree: goal, ...seen };
  if (space.error !== undefined) return { ...result, failure: { message: space.error } };
  if (space.freed >= goal) return result;
  const message = notEnoughFreed(used, usage.capacityBytes, space.freed);
  return { ...result, failure: { message, event: "FreeDiskSpaceFailed" } };
}

/** Everything unused, for disk pressure (DeleteUnusedImages): the minimum age holds, the age step plays no part. */
export function* unusedRound({ candidates, policy, now }: Omit<RoundInput, "began">): Round {
  const space = yield* freeSpace(candidates, Number.POSITIVE_INFINITY, policy, now);
  if (space.error !== undefined) return failed(space.outcomes, space.freed, { message: space.error });
  return { outcomes: space.outcomes, freed: space.freed };
}

/** Plays a round through as if every removal worked and freed the image's size. Undefined usage: its failure is `error`. */
export function rehearse(round: Round, usage: DiskUsage | undefined, error = "unknown usage"): RoundResult {
  let removed = 0;
  let step = round.next();
  while (!step.done) {
    const request = step.value;
    if (request.kind === "remove") {
      removed += request.image.size;
      step = round.next({});
    } else if (usage === undefined) step = round.next({ error });
    else step = round.next({ usage: { ...usage, availableBytes: usage.availableBytes + removed } });
  }
  return step.value;
}

function failed(
  outcomes: readonly Outcome[],
  freed: number,
  failure: NonNullable<RoundResult["failure"]>,
): RoundResult {
  return { outcomes, freed, failure };
}

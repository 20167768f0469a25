/**
 * One round of image garbage collection, without I/O: a generator that asks for what is to be done and is told how it went. The
 * loop answers by doing it, a dry run by supposing that it works (`rehearse`); both get the same decisions. Pure.
 */
import { freeOld, freeSpace, type Outcome, type Removal, type RemovalAnswer } from "./free.js";
import type { ImagePolicy } from "./policy.js";
import type { ImageRecord } from "./record.js";
import { bytesToFree, type DiskUsage, usagePercent } from "./usage.js";
import { invalidCapacity, notEnoughFreed } from "./words.js";

/** What the round asks for: that an image be removed, or how full the disk is now. */
export type Request = Removal | { readonly kind: "usage" };

/** How it went; for `usage` the numbers or an error. */
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
  /** Why the round failed, in the kubelet's words, with the reason of its own event where it has one. */
  readonly failure?: { readonly message: string; readonly event?: "InvalidDiskCapacity" | "FreeDiskSpaceFailed" };
}

/** Age step, then the disk's numbers, then the space step if the high mark is reached (GarbageCollect of the kubelet). */
export function* imageRound({ candidates, policy, now, began }: RoundInput): Round {
  const budget = policy.maxBytesPerRound === 0 ? Number.POSITIVE_INFINITY : policy.maxBytesPerRound;
  const old = yield* freeOld(candidates, policy, budget, { now, began });
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
  const space = yield* freeSpace(old.remaining, goal, policy, budget - old.freed, now);
  const outcomes = [...old.outcomes, ...space.outcomes];
  const result = { outcomes, freed: space.freed, bytesToFree: goal, ...seen };
  if (space.error !== undefined) return { ...result, failure: { message: space.error } };
  if (space.freed >= goal || space.budgetSpent) return result;
  const message = notEnoughFreed(used, usage.capacityBytes, space.freed);
  return { ...result, failure: { message, event: "FreeDiskSpaceFailed" } };
}

/** Everything unused, for disk pressure (DeleteUnusedImages): the minimum age holds, the age step plays no part, nor does a budget. */
export function* unusedRound({ candidates, policy, now }: Omit<RoundInput, "began">): Round {
  const unlimited = Number.POSITIVE_INFINITY;
  const space = yield* freeSpace(candidates, unlimited, policy, unlimited, now);
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

/** Why an image goes or stays, for people. Pure. */
import { formatDuration } from "@hooklet/core";
import type { Outcome } from "./free.js";
import type { Kept } from "./keep.js";
import type { ImagePolicy } from "./policy.js";
import { elapsed, type ImageRecord } from "./record.js";
import type { RoundResult } from "./round.js";
import { formatSize } from "./usage.js";

/** A round's report is one. */
export interface WhyInput extends Pick<RoundResult, "usagePercent"> {
  readonly policy: ImagePolicy;
  /** When it was decided, on the clock of the records. */
  readonly now: number;
}

/** One sentence about an image, without its name. */
export function why(fate: Kept | Outcome, { policy, now, usagePercent }: WhyInput): string {
  const { image } = fate;
  switch (fate.verdict) {
    case "in use":
      return usersText(fate.users ?? []);
    case "pinned":
      return "the runtime keeps it";
    case "protected":
      return `protect: ${fate.pattern}`;
    case "kept newest":
      return `one of the newest of its repository, keepPulled is ${policy.keepPulled}`;
    case "used recently":
      return `${unused(image, now)}, reclaimDelay is ${seconds(policy.reclaimDelay)}`;
    case "failed":
      return fate.error ?? "";
    case "too young":
      return `first seen ${seconds(elapsed(image.firstDetected, now))} ago, the minimum age is ${seconds(policy.minAge)}`;
    case "used since":
      return "used since the round began";
    case "enough freed":
      return "enough is freed without it";
    case "next round":
      return `maxBytesPerRound is spent, the next round goes on`;
    case "enough room":
      return `${usagePercent}% of the image filesystem used, images are removed from ${policy.highThresholdPercent}% on`;
    case "removed":
      return fate.reason === "age"
        ? `${unused(image, now)}, the maximum age is ${seconds(policy.maxAge)}`
        : `${unused(image, now)}, ${formatSize(image.size)}`;
  }
}

function unused({ lastUsed }: ImageRecord, now: number): string {
  return lastUsed === undefined ? "never used" : `unused for ${seconds(now - lastUsed)}`;
}

const NAMED_USERS = 3;

function usersText(users: readonly string[]): string {
  const named = users.slice(0, NAMED_USERS).join(", ");
  return users.length > NAMED_USERS ? `by ${named} and ${users.length - NAMED_USERS} more` : `by ${named}`;
}

/** Milliseconds as Go prints whole seconds. */
function seconds(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds / 1000));
}

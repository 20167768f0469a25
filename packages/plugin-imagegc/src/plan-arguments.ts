/** The arguments of `hooklet plan imagegc`. */
import { NodeAgentError, type PlanInput } from "@hooklet/core";
import type { ImagePolicy } from "./images/policy.js";

/** `--until PERCENT`: both thresholds. @throws NodeAgentError INVALID for anything else */
export function thresholdsOf({ arguments: given }: PlanInput): Partial<ImagePolicy> {
  const unknown = Object.keys(given).find((name) => name !== "until");
  if (unknown !== undefined) {
    throw new NodeAgentError("INVALID", `plan imagegc: expected --until PERCENT or nothing, found --${unknown}.`);
  }
  if (given.until === undefined) return {};
  const percent = Number(given.until);
  if (!/^\d{1,3}$/.test(given.until) || percent > 100) {
    throw new NodeAgentError(
      "INVALID",
      `plan imagegc: expected --until from 0 to 100, found ${JSON.stringify(given.until)}.`,
    );
  }
  return { highThresholdPercent: percent, lowThresholdPercent: percent };
}

import { parseThresholdConfig, type ThresholdSettings } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { canonicalThresholds, fromThreshold, only, type RawThreshold } from "./eviction.js";

type Answer =
  | { readonly thresholds: readonly RawThreshold[] }
  | { readonly error: string }
  /** The kubelet walks a map: which of several faults it reports changes from run to run. */
  | { readonly errorAnyOf: readonly string[] };

export const adapter: Adapter<ThresholdSettings> = {
  run(input) {
    const settings = only(
      "input",
      input,
      "enforceNodeAllocatable",
      "evictionHard",
      "evictionSoft",
      "evictionSoftGracePeriod",
      "evictionMinimumReclaim",
    );
    try {
      return { thresholds: sorted(parseThresholdConfig(settings).map(fromThreshold)) };
    } catch (error) {
      return { error: (error as Error).message };
    }
  },
  expected: (answer: Answer) =>
    "thresholds" in answer ? { thresholds: sorted(canonicalThresholds(answer.thresholds)) } : answer,
  part: (answer: Answer, expected: Answer) =>
    "errorAnyOf" in expected && "error" in answer && expected.errorAnyOf.includes(answer.error) ? expected : answer,
};

/** By signal, then grace period; thresholds that are equal in both by their value. */
function sorted(thresholds: readonly RawThreshold[]): readonly RawThreshold[] {
  const key = ({ signal, gracePeriodSeconds, value }: RawThreshold): string =>
    `${signal} ${String(gracePeriodSeconds).padStart(12, "0")} ${JSON.stringify(value)}`;
  return [...thresholds].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

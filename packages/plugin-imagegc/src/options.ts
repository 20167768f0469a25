/** The plugin's options in the rc file: KubeletConfiguration's names and defaults, the kubelet's flags, and what goes beyond it. */
import { duration, formatDuration, type OptionsSchema } from "@hooklet/core";
import { parseQuantity } from "@hooklet/core/rules";
import type { ContainerPolicy } from "./containers/dead.js";
import { type ImagePolicy, policyFault } from "./images/policy.js";
import type { OrderStrategy } from "./order/strategy.js";

/** As parsed: durations in seconds, sizes in bytes. */
export interface ImagegcOptions {
  readonly imageGCHighThresholdPercent: number;
  readonly imageGCLowThresholdPercent: number;
  readonly imageMinimumGCAge: number;
  readonly imageMaximumGCAge: number;
  readonly minimumContainerTTLDuration: number;
  readonly maximumDeadContainersPerContainer: number;
  readonly maximumDeadContainers: number;
  readonly initialDetection: "now" | "unknown";
  readonly protect: readonly string[];
  readonly reclaimDelay: number;
  readonly maxBytesPerRound: number;
  readonly keepPulled: number;
  /** Made of the strategy table. */
  readonly order?: OrderStrategy;
}

const LONGEST = "87600h";
const PATTERNS = 200;
const PATTERN_LENGTH = 300;

export const options: OptionsSchema<Omit<ImagegcOptions, "order">> = (z) => {
  const percent = (standard: number) => z.int().default(standard);
  const age = (standard: string) => duration("0s", LONGEST).prefault(standard);
  const limit = (standard: number) => z.int().min(-1).max(1_000_000).default(standard);
  return z
    .strictObject({
      imageGCHighThresholdPercent: percent(85).describe(
        "Percent of the image file system in use at which images are removed.",
      ),
      imageGCLowThresholdPercent: percent(80).describe("Percent that they are removed down to."),
      imageMinimumGCAge: age("2m0s").describe("How long an image is kept after it was first seen."),
      imageMaximumGCAge: age("0s").describe("Images unused for longer go however much room there is; 0s = never."),
      minimumContainerTTLDuration: age("0s").describe("How long a dead container is kept after it was created."),
      maximumDeadContainersPerContainer: limit(1).describe(
        "Dead containers kept for each container of a pod; -1 = all.",
      ),
      maximumDeadContainers: limit(-1).describe("Dead containers kept on the node; -1 = all."),
      initialDetection: z
        .enum(["now", "unknown"])
        .default("now")
        .describe(
          "When images that are there at the very first look count as first seen: then, or unknown and so long ago.",
        ),
      protect: z
        .array(z.string().min(1).max(PATTERN_LENGTH))
        .max(PATTERNS)
        .default([])
        .describe("Images that are never removed: names, `*` stands for any text."),
      reclaimDelay: age("0s").describe("How long an image is kept after its last use."),
      maxBytesPerRound: z
        .union([z.string(), z.number()])
        .transform((value, context) => {
          const bytes = bytesOf(String(value));
          if (bytes !== undefined) return bytes;
          context.addIssue({ code: "custom", message: "a quantity of 0 or more (2Gi)", input: value });
          return z.NEVER;
        })
        .prefault("0")
        .describe("Bytes after which a round leaves the rest to the next one; 0 = no limit."),
      keepPulled: z
        .int()
        .min(0)
        .max(10_000)
        .default(0)
        .describe("How many images of each repository stay, the newest."),
    })
    .superRefine((value, context) => {
      const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = value;
      const fault = policyFault({ highThresholdPercent: high, lowThresholdPercent: low });
      if (fault !== undefined) {
        const path = [fault.startsWith("invalid High") ? "imageGCHighThresholdPercent" : "imageGCLowThresholdPercent"];
        context.addIssue({ code: "custom", message: fault, path });
      }
      const { imageMaximumGCAge: oldest, imageMinimumGCAge: youngest } = value;
      if (oldest === 0 || oldest > youngest) return;
      const message = `0s, or more than imageMinimumGCAge ${formatDuration(youngest)}`;
      context.addIssue({ code: "custom", message, path: ["imageMaximumGCAge"], input: formatDuration(oldest) });
    });
};

function bytesOf(text: string): number | undefined {
  try {
    const bytes = Number(parseQuantity(text).nano) / 1e9;
    return bytes >= 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

export function imagePolicyOf(given: ImagegcOptions): ImagePolicy {
  return {
    highThresholdPercent: given.imageGCHighThresholdPercent,
    lowThresholdPercent: given.imageGCLowThresholdPercent,
    minAge: given.imageMinimumGCAge * 1000,
    maxAge: given.imageMaximumGCAge * 1000,
    protect: given.protect,
    reclaimDelay: given.reclaimDelay * 1000,
    maxBytesPerRound: given.maxBytesPerRound,
    keepPulled: given.keepPulled,
  };
}

export function containerPolicyOf(given: ImagegcOptions): ContainerPolicy {
  return {
    minAge: given.minimumContainerTTLDuration * 1000,
    maxPerPodContainer: given.maximumDeadContainersPerContainer,
    maxContainers: given.maximumDeadContainers,
  };
}

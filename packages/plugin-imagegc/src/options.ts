/** The plugin's options in the rc file: KubeletConfiguration's names and defaults, the kubelet's flags, and what goes beyond it. */
import { duration, type OptionsSchema } from "@hooklet/core";
import { formatDuration } from "@hooklet/core/subsystem";
import { type ContainerPolicy, kubeletContainerPolicy } from "./dead-containers.js";
import { type ImagePolicy, kubeletPolicy, policyFault } from "./images/image-policy.js";

/** As parsed: durations in seconds. */
export interface ImagegcOptions {
  readonly imageGCHighThresholdPercent: number;
  readonly imageGCLowThresholdPercent: number;
  readonly imageMinimumGCAge: number;
  readonly imageMaximumGCAge: number;
  readonly minimumContainerTTLDuration: number;
  readonly maximumDeadContainersPerContainer: number;
  readonly maximumDeadContainers: number;
  readonly protect: readonly string[];
}

const LONGEST = "87600h";
const PATTERNS = 200;
const PATTERN_LENGTH = 300;

export const options: OptionsSchema<ImagegcOptions> = (z) => {
  const percent = (standard: number) => z.int().default(standard);
  const age = (standard: string) => duration("0s", LONGEST).prefault(standard);
  const limit = (standard: number) => z.int().min(-1).max(1_000_000).default(standard);
  return z
    .strictObject({
      imageGCHighThresholdPercent: percent(kubeletPolicy.highThresholdPercent).describe(
        "Percent of the image file system in use at which images are removed.",
      ),
      imageGCLowThresholdPercent: percent(kubeletPolicy.lowThresholdPercent).describe(
        "Percent that they are removed down to.",
      ),
      imageMinimumGCAge: age("2m0s").describe("How long an image is kept after it was first seen."),
      imageMaximumGCAge: age("0s").describe(
        "Images unused for longer are removed regardless of free space; 0s = never.",
      ),
      minimumContainerTTLDuration: age("0s").describe("How long a dead container is kept after it was created."),
      maximumDeadContainersPerContainer: limit(kubeletContainerPolicy.maxPerPodContainer).describe(
        "Dead containers kept for each container of a pod; -1 = all.",
      ),
      maximumDeadContainers: limit(kubeletContainerPolicy.maxContainers).describe(
        "Dead containers kept on the node; -1 = all.",
      ),
      protect: z
        .array(z.string().min(1).max(PATTERN_LENGTH))
        .max(PATTERNS)
        .default([])
        .describe("Images that are never removed: names, `*` stands for any text."),
    })
    .superRefine((value, context) => {
      const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = value;
      const fault = policyFault({ highThresholdPercent: high, lowThresholdPercent: low });
      if (fault !== undefined) {
        const path = [fault.startsWith("invalid High") ? "imageGCHighThresholdPercent" : "imageGCLowThresholdPercent"];
        const message = fault.startsWith("LowThresholdPercent")
          ? `at most imageGCHighThresholdPercent, ${high}`
          : fault;
        context.addIssue({ code: "custom", message, path });
      }
      const { imageMaximumGCAge: oldest, imageMinimumGCAge: youngest } = value;
      if (oldest === 0 || oldest > youngest) return;
      const message = `0s, or more than imageMinimumGCAge ${formatDuration(youngest)}`;
      context.addIssue({ code: "custom", message, path: ["imageMaximumGCAge"], input: formatDuration(oldest) });
    });
};

export function imagePolicyOf(given: ImagegcOptions): ImagePolicy {
  return {
    highThresholdPercent: given.imageGCHighThresholdPercent,
    lowThresholdPercent: given.imageGCLowThresholdPercent,
    minAge: given.imageMinimumGCAge * 1000,
    maxAge: given.imageMaximumGCAge * 1000,
    protect: given.protect,
  };
}

export function containerPolicyOf(given: ImagegcOptions): ContainerPolicy {
  return {
    minAge: given.minimumContainerTTLDuration * 1000,
    maxPerPodContainer: given.maximumDeadContainersPerContainer,
    maxContainers: given.maximumDeadContainers,
  };
}

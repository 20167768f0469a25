/** What image garbage collection goes by, with the kubelet's checks. Pure. */

export interface ImagePolicy {
  /** Percent of the image file system in use at which images are removed, 0 to 100. */
  readonly highThresholdPercent: number;
  /** Percent that they are removed down to, at most the high threshold. */
  readonly lowThresholdPercent: number;
  /** Milliseconds since its first detection that an image is kept, but for the age step. */
  readonly minAge: number;
  /** Milliseconds without use after which an image is removed regardless of disk usage; 0 = never. */
  readonly maxAge: number;
  /** Beyond the kubelet: patterns of names that stay. */
  readonly protect: readonly string[];
}

/** The kubelet's policy; the thresholds are KubeletConfiguration's defaults. */
export const kubeletPolicy: ImagePolicy = {
  highThresholdPercent: 85,
  lowThresholdPercent: 80,
  minAge: 120_000,
  maxAge: 0,
  protect: [],
};

type Thresholds = Pick<ImagePolicy, "highThresholdPercent" | "lowThresholdPercent">;

/** The fault of the thresholds, with the kubelet's text; undefined when they are valid. */
export function policyFault({ highThresholdPercent: high, lowThresholdPercent: low }: Thresholds): string | undefined {
  if (!isPercent(high)) return `invalid HighThresholdPercent ${high}, must be in range [0-100]`;
  if (!isPercent(low)) return `invalid LowThresholdPercent ${low}, must be in range [0-100]`;
  if (low > high) return `LowThresholdPercent ${low} can not be higher than HighThresholdPercent ${high}`;
  return undefined;
}

function isPercent(value: number): boolean {
  return value >= 0 && value <= 100;
}

/** Whether there is anything that could ever be removed: the kubelet does not start the loop otherwise. */
export function imageLoopRuns({ highThresholdPercent, maxAge }: ImagePolicy): boolean {
  return highThresholdPercent < 100 || maxAge > 0;
}

/** The plugin's options in the rc file: names and defaults are KubeletConfiguration's; those beyond it are off by default. */
import { duration, errorText, type OptionsSchema, strategyName } from "@hooklet/core";
import { parseThresholdConfig, type SignalTexts, type StallSettings, stallThresholds } from "./parse-thresholds.js";
import type { RankingStrategy } from "./ranking.js";
import type { EvictionThreshold } from "./thresholds.js";

export interface EvictionOptions {
  readonly evictionSoft: SignalTexts;
  readonly evictionSoftGracePeriod: SignalTexts;
  readonly evictionMinimumReclaim: SignalTexts;
  /** Seconds. */
  readonly evictionPressureTransitionPeriod: number;
  /** Seconds. */
  readonly evictionMaxPodGracePeriod: number;
  readonly kernelMemcgNotification: boolean;
  readonly localStorageCapacityIsolation: boolean;
  readonly enforceNodeAllocatable: readonly string[];
  readonly mode: "enforce" | "dry-run";
  readonly memorySource: "working-set" | "mem-available";
  /** Seconds; 0 = off. */
  readonly watch: number;
  readonly psi: StallSettings;
  readonly escalate: boolean;
  readonly readmit: "check" | "keep-running";
}

/** Seconds: what a transition period of 0s becomes, as in the kubelet. */
const DEFAULT_TRANSITION_PERIOD = 300;
/** Seconds between two reads of memory when kernelMemcgNotification asks for more than the 10 s of the loop. */
const NOTIFICATION_WATCH = 0.25;

export const options: OptionsSchema<EvictionOptions> = (z) => {
  const texts = (what: string) =>
    z
      .record(z.string().max(64), z.union([z.string().max(64), z.number()]).transform(String))
      .default({})
      .describe(what);
  const percent = () =>
    z
      .string()
      .max(16)
      .refine((text) => PERCENT.test(text) && Number.parseFloat(text) <= 100, "a share of time such as 10%")
      .transform((text) => Number.parseFloat(text))
      .optional();
  const stalls = (what: string) =>
    z
      .strictObject({
        some: percent().describe("Share of the window in which some process stood still."),
        full: percent().describe("Share of the window in which all processes stood still."),
        window: duration("1s", "5m").prefault("10s").describe("Time over which the share is measured."),
      })
      .refine(({ some, full }) => some !== undefined || full !== undefined, "some, full or both, such as full: 10%")
      .optional()
      .describe(what);
  return z
    .strictObject({
      evictionSoft: texts("Soft thresholds: signal -> quantity or percentage."),
      evictionSoftGracePeriod: texts("How long a soft threshold is crossed before a pod goes: signal -> duration."),
      evictionMinimumReclaim: texts("What has to be free above a threshold once it was acted on."),
      evictionPressureTransitionPeriod: duration("0s", "24h")
        .prefault("5m")
        .transform((seconds) => (seconds === 0 ? DEFAULT_TRANSITION_PERIOD : seconds))
        .describe("How long a pressure condition stays after it was last observed. 0s = 5m."),
      evictionMaxPodGracePeriod: z
        .int()
        .min(0)
        .max(86_400)
        .default(0)
        .describe("Seconds that a pod has at most when a soft threshold evicts it; 0 = 1 s."),
      kernelMemcgNotification: z
        .boolean()
        .default(false)
        .describe("Do not wait for the next round when memory runs short: sets watch to 250ms where it is not set."),
      localStorageCapacityIsolation: z
        .boolean()
        .default(true)
        .describe("Keep pods to the limits of their emptyDirs and of ephemeral-storage."),
      enforceNodeAllocatable: z
        .array(z.enum(["none", "pods", ...RESERVED, ...RESERVED.map((name) => `${name}-compressible` as const)]))
        .default(["pods"])
        .describe(
          "pods: hard thresholds of memory.available hold for the cgroup of all pods too. As the option of that name that enforces it.",
        ),
      mode: z
        .enum(["enforce", "dry-run"])
        .default("enforce")
        .describe("dry-run: an event and a decision instead of an eviction; nothing is cleaned."),
      memorySource: z
        .enum(["working-set", "mem-available"])
        .default("working-set")
        .describe(
          "mem-available: memory.available is the kernel's MemAvailable, which does not count page cache as used (kubernetes/kubernetes#43916).",
        ),
      watch: duration("0s", "10s")
        .prefault("0s")
        .describe("Period of memory checks between the rounds every 10 s. 0s = off; else at least 100ms."),
      psi: z
        .strictObject({
          memory: stalls("A pod is evicted, ranked as for memory, when processes stall for lack of it for longer."),
          io: stalls("A pod goes, who reads and writes most, when processes wait for disks for longer."),
        })
        .default({})
        .describe("Pressure stall information of the kernel as a signal. Never of the processor: limits cause that."),
      escalate: z
        .boolean()
        .default(false)
        .describe("A hard threshold shortens a soft eviction under way to 1 s (kubernetes/kubernetes#124081)."),
      readmit: z
        .enum(["check", "keep-running"])
        .default("check")
        .describe(
          "keep-running: pods that run already when the agent starts are not turned away for pressure (kubernetes/kubernetes#83612).",
        ),
    })
    .transform((given) => ({
      ...given,
      watch: given.watch === 0 && given.kernelMemcgNotification ? NOTIFICATION_WATCH : atLeast(given.watch),
    }))
    .superRefine((given, context) => {
      try {
        parseThresholdConfig({ ...given, evictionHard: {}, enforceNodeAllocatable: [] });
      } catch (error) {
        context.addIssue({ code: "custom", message: `eviction settings of the kubelet (${errorText(error)})` });
      }
    });
};

const PERCENT = /^(?=.*[1-9])\d{1,3}(\.\d{1,4})?%$/;
const RESERVED = ["system-reserved", "kube-reserved"] as const;

function atLeast(seconds: number): number {
  return seconds === 0 ? 0 : Math.max(0.1, seconds);
}

/** All thresholds: the node's hard ones, what the options say, and those of stalls. @throws Error with the kubelet's text */
export function thresholdsOf(evictionHard: SignalTexts, options: EvictionOptions): readonly EvictionThreshold[] {
  return [...parseThresholdConfig({ ...options, evictionHard }), ...stallThresholds(options.psi)];
}

/** What the rounds go by. */
export interface ManagerSettings {
  readonly thresholds: readonly EvictionThreshold[];
  readonly localStorageCapacityIsolation: boolean;
  readonly pressureTransitionPeriodSeconds: number;
  readonly maxPodGracePeriodSeconds: number;
  /** Nothing is evicted, and the rounds wait for no pod. */
  readonly dryRun: boolean;
  readonly ranking: RankingStrategy;
  /** As the rc file names it. */
  readonly rankingName: string;
}

/** @throws Error with the kubelet's text when a threshold cannot be read */
export function settingsOf(
  evictionHard: SignalTexts,
  given: EvictionOptions,
  ranking: RankingStrategy,
): ManagerSettings {
  return {
    thresholds: thresholdsOf(evictionHard, given),
    localStorageCapacityIsolation: given.localStorageCapacityIsolation,
    pressureTransitionPeriodSeconds: given.evictionPressureTransitionPeriod,
    maxPodGracePeriodSeconds: given.evictionMaxPodGracePeriod,
    dryRun: given.mode === "dry-run",
    ranking,
    rankingName: strategyName(ranking) ?? "custom",
  };
}

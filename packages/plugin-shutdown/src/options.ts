/** Options; names, units and defaults are KubeletConfiguration's. Pure. */
import { duration, type OptionsSchema } from "@hooklet/core";
import type { ShutdownOptions } from "./groups.js";

const SMALLEST = -2_147_483_648;
const LARGEST = 2_147_483_647;
/** Seconds: no machine waits for a day. */
const LONGEST = 86_400;

export const options: OptionsSchema<ShutdownOptions> = (z) =>
  z
    .strictObject({
      shutdownGracePeriod: duration("0s", "24h").prefault(0),
      shutdownGracePeriodCriticalPods: duration("0s", "24h").prefault(0),
      shutdownGracePeriodByPodPriority: z
        .array(
          z.strictObject({
            priority: z.int().min(SMALLEST).max(LARGEST),
            shutdownGracePeriodSeconds: z.int().min(0).max(LONGEST),
          }),
        )
        .max(100)
        .default([]),
    })
    .refine(({ shutdownGracePeriod: all }) => all === 0 || all >= 1, {
      error: "0, or at least 1s",
      path: ["shutdownGracePeriod"],
    })
    .refine(({ shutdownGracePeriodCriticalPods: part }) => part === 0 || part >= 1, {
      error: "0, or at least 1s",
      path: ["shutdownGracePeriodCriticalPods"],
    })
    .refine((given) => given.shutdownGracePeriodCriticalPods <= given.shutdownGracePeriod, {
      error: "at most shutdownGracePeriod",
      path: ["shutdownGracePeriodCriticalPods"],
    })
    .refine((given) => given.shutdownGracePeriodByPodPriority.length === 0 || given.shutdownGracePeriod === 0, {
      error: "shutdownGracePeriodByPodPriority or shutdownGracePeriod, not both",
      path: ["shutdownGracePeriodByPodPriority"],
    });

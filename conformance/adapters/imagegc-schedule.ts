import {
  CONTAINER_GC_PERIOD,
  failureEvent,
  IMAGE_GC_PERIOD,
  imageLoopRuns,
  kubeletPolicy,
  type Loop,
} from "@hooklet/plugin-imagegc/internal";
import type { Adapter } from "../adapter.js";
import { onlyKnown } from "../known-keys.js";

interface Input {
  readonly loop?: "containers" | "images";
  readonly results?: readonly ("error" | "ok")[];
  readonly high?: number;
  /** Seconds. */
  readonly maxAge?: number;
  readonly list_error?: boolean;
}

const PERIODS = { containers: CONTAINER_GC_PERIOD, images: IMAGE_GC_PERIOD };

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKnown(input, ["loop", "results", "high", "maxAge", "list_error"], "input");
    const { high = kubeletPolicy.highThresholdPercent, maxAge = 0 } = input;
    const loop = input.list_error === true ? "detection" : input.loop;
    const results = input.list_error === true ? (["error"] as const) : input.results;
    return {
      ...(loop === undefined ? {} : { events: eventsOf(loop, results ?? []) }),
      periodSeconds: PERIODS[input.loop ?? "images"],
      image_loop: imageLoopRuns({ ...kubeletPolicy, highThresholdPercent: high, maxAge: maxAge * 1000 }),
      // Nothing switches it off.
      container_loop: true,
      detectPeriodSeconds: IMAGE_GC_PERIOD,
    };
  },
  part: (answer: Readonly<Record<string, unknown>>, expected: object) =>
    Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]])),
};

function eventsOf(loop: Loop, results: readonly ("error" | "ok")[]): readonly string[] {
  let before = 0;
  return results.flatMap((result) => {
    const event = result === "error" ? failureEvent(loop, before) : undefined;
    before = result === "error" ? before + 1 : 0;
    return event ?? [];
  });
}

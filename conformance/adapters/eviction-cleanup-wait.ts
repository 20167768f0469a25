import type { Clock } from "@hooklet/core";
import { waitForCleanup } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only } from "./eviction.js";

interface Input {
  /** Seconds; null = never. */
  readonly cleanAfter: readonly (number | null)[];
}

export const adapter: Adapter<Input> = {
  run: async (input) => ({ waitedSeconds: await waited(only("input", input, "cleanAfter").cleanAfter) }),
};

/** Seconds that the loop waits, on a clock that goes to each timer at once. */
export async function waited(cleanAfter: readonly (number | null)[]): Promise<number> {
  let milliseconds = 0;
  const clock: Clock = {
    now: () => milliseconds,
    monotonic: () => milliseconds,
    schedule(delay, run) {
      milliseconds += delay;
      queueMicrotask(run);
      return { cancel: () => undefined };
    },
  };
  await waitForCleanup(clock, cleanAfter, (after) => after !== null && after <= milliseconds / 1000);
  return milliseconds / 1000;
}

import { MONITORING_INTERVAL_SECONDS } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only } from "./eviction.js";
import { waited } from "./eviction-cleanup-wait.js";

interface Input {
  readonly evicted: number;
  readonly failed?: boolean;
  readonly killFailed?: boolean;
  readonly statsError?: boolean;
  readonly cleanAfter?: number | null;
}

/** A failed round and one without statistics evict no pod, a failed kill counts as evicted: the rounds' own vectors hold that. */
export const adapter: Adapter<Input> = {
  async run(input) {
    const { evicted, cleanAfter } = only("input", input, "evicted", "failed", "killFailed", "statsError", "cleanAfter");
    return { nextAfter: evicted === 0 ? MONITORING_INTERVAL_SECONDS : await waited([cleanAfter ?? null]) };
  },
};

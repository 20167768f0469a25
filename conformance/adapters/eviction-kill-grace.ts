import { killTimeoutSeconds } from "@hooklet/core/rules";
import { effectiveGracePeriod } from "@hooklet/plugin-eviction";
import type { Adapter } from "../adapter.js";
import { only } from "./eviction.js";

interface Input {
  readonly override: number;
  /** Plays no part once there is an override. */
  readonly terminationGracePeriodSeconds: number | null;
  readonly deletionGracePeriodSeconds: number | null;
}

export const adapter: Adapter<Input> = {
  run(input) {
    only("input", input, "override", "terminationGracePeriodSeconds", "deletionGracePeriodSeconds");
    const { override, deletionGracePeriodSeconds } = input;
    return {
      effectiveSeconds: effectiveGracePeriod(override, deletionGracePeriodSeconds ?? undefined),
      killTimeoutSeconds: killTimeoutSeconds(override),
    };
  },
};

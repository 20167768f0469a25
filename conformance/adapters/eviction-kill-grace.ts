import { killTimeoutSeconds } from "@hooklet/core/rules";
import { effectiveGracePeriod } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only } from "./eviction.js";

interface Input {
  readonly override: number;
  /** Plays no part once there is an override. */
  readonly terminationGracePeriodSeconds: number | null;
  /** A shorter one is kept by core: the case that has it is skipped by name. */
  readonly deletionGracePeriodSeconds: null;
}

export const adapter: Adapter<Input> = {
  run(input) {
    only("input", input, "override", "terminationGracePeriodSeconds", "deletionGracePeriodSeconds");
    const { override } = input;
    return {
      effectiveSeconds: effectiveGracePeriod(override),
      killTimeoutSeconds: killTimeoutSeconds(override),
    };
  },
};

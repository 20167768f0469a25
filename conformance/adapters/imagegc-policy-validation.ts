import { policyFault } from "@hooklet/plugin-imagegc/internal";
import type { Adapter } from "../adapter.js";
import { onlyKnown } from "../known-keys.js";

interface Input {
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKnown(input, ["highThresholdPercent", "lowThresholdPercent"], "input");
    return { error: policyFault(input) ?? null };
  },
};

import { effectiveEvictionHard } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { only } from "./eviction.js";

interface Input {
  readonly evictionHard: Readonly<Record<string, string>> | null;
  readonly mergeDefaultEvictionSettings: boolean;
}

export const adapter: Adapter<Input> = {
  run(input) {
    const known = only("input", input, "evictionHard", "mergeDefaultEvictionSettings");
    const { evictionHard, mergeDefaultEvictionSettings } = known;
    return { evictionHard: effectiveEvictionHard(evictionHard ?? undefined, mergeDefaultEvictionSettings) };
  },
};

import { parsePercentage } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { only } from "./eviction.js";

export const adapter: Adapter<{ readonly text: string }> = {
  run(input) {
    try {
      return { percentage: Number(parsePercentage(only("input", input, "text").text).toPrecision(6)) };
    } catch (error) {
      return { error: (error as Error).message };
    }
  },
};

import { errorText } from "@hooklet/core";
import { swapShare } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys, partOf } from "./cgroups.js";

interface Input {
  readonly request: number;
  readonly memoryCapacity: number;
  readonly swapCapacity: number;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["request", "memoryCapacity", "swapCapacity"]);
    try {
      return { error: false, swapBytes: swapShare(input.request, input.memoryCapacity, input.swapCapacity) };
    } catch (error) {
      return { error: true, error_text: errorText(error) };
    }
  },
  part: partOf,
};

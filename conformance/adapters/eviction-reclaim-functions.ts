import { reclaimFunctions } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only, type RawLayout, toLayout } from "./eviction.js";

export const adapter: Adapter<RawLayout> = {
  run: (input) => ({
    functions: reclaimFunctions(toLayout(only("input", input, "dedicatedImageFs", "splitContainerImageFs"))),
  }),
};

import { sameValue } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only, type RawValue, toValue } from "./eviction.js";

export const adapter: Adapter<{ readonly a: RawValue; readonly b: RawValue }> = {
  run: (input) => ({ equal: sameValue(toValue(only("input", input, "a", "b").a), toValue(input.b)) }),
};

import { conditionsOf } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only } from "./eviction.js";

export const adapter: Adapter<{ readonly signals: readonly string[] }> = {
  run: (input) => ({ conditions: conditionsOf(only("input", input, "signals").signals) }),
};

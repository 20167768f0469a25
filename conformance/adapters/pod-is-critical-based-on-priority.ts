import { isCriticalPriority } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";

export const adapter: Adapter<{ readonly priority: number }> = {
  keys: ["priority"],
  run: ({ priority }) => ({ critical: isCriticalPriority(priority) }),
};

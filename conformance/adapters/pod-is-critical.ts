import { isCriticalPod } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";

export const adapter: Adapter<{ readonly pod: RawPod }> = {
  keys: ["pod"],
  run: ({ pod }) => ({ critical: isCriticalPod(toPod(pod)) }),
};

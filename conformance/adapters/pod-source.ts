import { podSource } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";

export const adapter: Adapter<{ readonly pod: RawPod }> = {
  keys: ["pod"],
  run({ pod }) {
    try {
      return { error: false, source: podSource(toPod(pod)) };
    } catch {
      return { error: true, source: "" };
    }
  },
};

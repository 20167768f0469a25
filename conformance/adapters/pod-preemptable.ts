import { isPreemptable } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";

export const adapter: Adapter<{ readonly preemptor: RawPod; readonly preemptee: RawPod }> = {
  keys: ["preemptor", "preemptee"],
  run: ({ preemptor, preemptee }) => ({ preemptable: isPreemptable(toPod(preemptor), toPod(preemptee)) }),
};

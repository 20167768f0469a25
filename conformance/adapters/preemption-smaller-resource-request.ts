import { candidateOf, compareTies, smallestFirst } from "@hooklet/plugin-preemption";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";

export const adapter: Adapter<{ readonly pod1: RawPod; readonly pod2: RawPod }> = {
  keys: ["pod1", "pod2"],
  run({ pod1, pod2 }) {
    const [first, second] = [pod1, pod2].map((pod) => smallestFirst(candidateOf(toPod(pod), ["memory", "cpu"])));
    // Of two equal ones the later wins, as if it were smaller.
    return { smaller: first !== undefined && second !== undefined && compareTies(first, second) <= 0 };
  },
};

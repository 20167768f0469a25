import { linear, quadratic } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";

interface Answer {
  readonly quadratic_weight: number;
  readonly linear_weight: number | null;
}

export const adapter: Adapter<{ readonly shares: number }> = {
  run(input): Answer {
    onlyKeys(input, ["shares"]);
    return { quadratic_weight: quadratic(input.shares), linear_weight: linear(input.shares) };
  },
  // Null: below 2 shares the kubelet's unsigned subtraction wraps, and there is nothing to compare with.
  part: (answer: Answer, expected: Answer) =>
    expected.linear_weight === null ? { ...answer, linear_weight: null } : answer,
};

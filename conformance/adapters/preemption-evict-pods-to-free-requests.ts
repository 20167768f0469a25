import { preempting, searchFailed } from "@hooklet/plugin-preemption/internal";
import type { Adapter } from "../adapter.js";
import type { VectorFile } from "../vector-file.js";
import type { RawPod } from "./pods.js";
import { chosen, type RawRequirement, toRequirements } from "./preemption.js";

interface Input {
  readonly preemptor: RawPod;
  readonly active_pods: readonly RawPod[];
  readonly requirements: readonly RawRequirement[];
  /** Changes nothing in the choice. */
  readonly kill_always_fails?: boolean;
}

interface Expected {
  readonly error: boolean;
  readonly error_text?: string;
  readonly kill_attempts_in_order?: readonly string[];
}

/** The choice and its words. That a kill which fails stops nothing is held by a test of the plugin on a whole agent. */
export const adapter: Adapter<Input> = {
  keys: ["preemptor", "active_pods", "requirements", "kill_always_fails"],
  run({ preemptor, active_pods, requirements }) {
    const { names, failure } = chosen(preemptor, active_pods, toRequirements(requirements));
    if (failure !== undefined) return { error: true, error_text: searchFailed(failure) };
    const { reason, message, condition } = preempting;
    return { error: false, attempts: names, reason, message, condition: { status: "True", ...condition } };
  },
  expected: ({ error, error_text, kill_attempts_in_order }: Expected, { content }: VectorFile) => {
    if (error) return { error, error_text };
    const { reason, message, condition } = content.victim_status as Record<string, unknown>;
    return { error, attempts: kill_attempts_in_order, reason, message, condition };
  },
};

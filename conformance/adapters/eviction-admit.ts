import { type PressureCondition, rejectedByPressure } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only } from "./eviction.js";
import { type RawPod, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly conditions: readonly PressureCondition[];
}

export const adapter: Adapter<Input> = {
  run(input) {
    const { pod, conditions } = only("input", input, "pod", "conditions");
    return admission(pod, conditions);
  },
};

export function admission(pod: RawPod, conditions: readonly PressureCondition[]): Record<string, unknown> {
  const rejection = rejectedByPressure(toPod(pod), conditions);
  return { admit: rejection === undefined, ...rejection };
}

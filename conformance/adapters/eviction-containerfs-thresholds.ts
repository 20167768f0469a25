import { withContainerFs } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import {
  canonicalThresholds,
  fromThreshold,
  only,
  type RawLayout,
  type RawThreshold,
  toLayout,
  toThreshold,
} from "./eviction.js";

interface Input extends RawLayout {
  readonly thresholds: readonly RawThreshold[];
}

interface Expected {
  readonly thresholds: readonly RawThreshold[];
  readonly error?: string;
}

export const adapter: Adapter<Input> = {
  run(input) {
    only("input", input, "thresholds", "dedicatedImageFs", "splitContainerImageFs");
    const { thresholds, replaced } = withContainerFs(input.thresholds.map(toThreshold), toLayout(input));
    return { thresholds: thresholds.map(fromThreshold), ...(replaced === undefined ? {} : { error: replaced }) };
  },
  expected: ({ thresholds, ...rest }: Expected) => ({ thresholds: canonicalThresholds(thresholds), ...rest }),
};

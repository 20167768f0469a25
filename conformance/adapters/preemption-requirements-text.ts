import { requirementsText } from "@hooklet/plugin-preemption/internal";
import type { Adapter } from "../adapter.js";
import { type RawRequirement, toRequirements } from "./preemption.js";

export const adapter: Adapter<{ readonly requirements: readonly RawRequirement[] }> = {
  keys: ["requirements"],
  run: ({ requirements }) => ({ text: requirementsText(toRequirements(requirements)) }),
};

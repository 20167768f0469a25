import { memoryHigh, throttlingPoint } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys, partOf } from "./cgroups.js";

type Input = Parameters<typeof throttlingPoint>[0];

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["request", "limit", "factor", "pageSize"]);
    return { formula: throttlingPoint(input), written: memoryHigh(input) ?? null };
  },
  part: partOf,
};

import { missingAmount } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";

export const adapter: Adapter<Parameters<typeof missingAmount>[0]> = {
  keys: ["requested", "used", "capacity"],
  run: (input) => ({ amount: missingAmount(input) }),
};

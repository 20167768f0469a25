import { type MemoryReservationPolicy, qosProtectedMemory, qosSums } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { type Gates, onlyKeys, toRuleOptions } from "./cgroups.js";
import { type RawPod, toPod } from "./pods.js";

interface Input {
  readonly pods: readonly RawPod[];
  /** Null: a kubelet before 1.36. */
  readonly memoryReservationPolicy: MemoryReservationPolicy | null;
  readonly gates: Gates;
  /** What stood in the files; the rule does not read it. */
  readonly before: object;
}

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["pods", "memoryReservationPolicy", "gates", "before"]);
    const sums = qosSums(input.pods.map(toPod), toRuleOptions(input.gates));
    return qosProtectedMemory(sums, input.memoryReservationPolicy ?? "before-1.36");
  },
};

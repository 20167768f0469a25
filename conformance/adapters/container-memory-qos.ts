import { containerMemoryQos } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys, partOf, policies, withoutZeros } from "./cgroups.js";
import { containerNamed, type RawPod, toPod } from "./pods.js";

interface Input {
  readonly pod: RawPod;
  readonly container: string;
  /** Null: no memory.high (from 1.37). */
  readonly memoryThrottlingFactor: number | null;
  readonly pageSize: number;
  readonly nodeAllocatableMemory: number;
}

const HIGH = "memory.high";

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["pod", "container", "memoryThrottlingFactor", "pageSize", "nodeAllocatableMemory"]);
    const pod = toPod(input.pod);
    const files = Object.entries(policies).map(([name, policy]): [string, Record<string, string>] => [
      name,
      containerMemoryQos(pod, containerNamed(pod, input.container), {
        policy,
        factor: input.memoryThrottlingFactor ?? undefined,
        pageSize: input.pageSize,
        nodeAllocatableMemory: input.nodeAllocatableMemory,
      }),
    ]);
    // The vectors tell memory.high of the newer policies beside them, once.
    const high = files.find(([name]) => name !== "unified_before_1_36")?.[1][HIGH] ?? null;
    const rest = files.map(([name, { [HIGH]: own, ...others }]) => [
      name,
      name === "unified_before_1_36" && own !== undefined ? { ...others, [HIGH]: own } : others,
    ]);
    return { ...(Object.fromEntries(rest) as object), [HIGH]: high };
  },
  expected: (expected: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(expected).map(([name, value]) => [
        name,
        typeof value === "object" && value !== null ? withoutZeros(value as Record<string, string>) : value,
      ]),
    ),
  part: partOf,
};

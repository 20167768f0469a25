/** `qosReserved` when the memory is in use already (kubelet's retrySetMemoryReserve). Pure. */
import type { Refused } from "../apply/report.js";
import type { Plan } from "../plan/setting.js";

/**
 * What to write after limits were refused: for every limit below what is in use the usage itself, so that it cannot grow
 * any more. Empty when there is nothing to do.
 * @param usageOf bytes in use in a cgroup
 */
export function cappedAtUsage(
  plan: Plan,
  refused: readonly Refused[],
  usageOf: (path: string) => number | undefined,
): Plan {
  const isLimit = (file: string): boolean => file === "memory.limit_in_bytes" || file === "memory.max";
  if (!refused.some(({ file, errno }) => isLimit(file) && errno !== undefined)) return [];
  return plan.flatMap((setting) => {
    const usage = isLimit(setting.file) ? usageOf(setting.path) : undefined;
    if (usage === undefined || usage <= Number(setting.value)) return [];
    return [{ ...setting, value: String(usage), why: `in use: ${usage}; wanted ${setting.value} (${setting.why})` }];
  });
}

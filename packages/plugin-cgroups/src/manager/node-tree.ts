/** The cgroups above the pods': of the node, of the QoS classes, of what is reserved for the system. */

import { type Clock, NodeAgentError } from "@hooklet/core";
import { type CgroupLayout, readMemoryUsage } from "@hooklet/core/rules";
import { applyPlan } from "../apply/apply.js";
import { cgroupExists, missingCgroup, type Refused, type Report } from "../apply/cgroup.js";
import type { CgroupFiles } from "../host/cgroup-files.js";
import { nodePlan, qosPlan, type ReservedKey, reservedPath, reservedPlan } from "../plan/node-plan.js";
import type { NodeRules } from "../plan/node-rules.js";
import type { Plan } from "../plan/setting.js";
import type { QosAccount } from "./account.js";
import type { ReportsOnce } from "./reports.js";

/** What a report calls the cgroup itself, which could not be made. */
export const NO_CGROUP = "the cgroup";

interface TreeParts {
  readonly files: CgroupFiles;
  readonly layout: CgroupLayout;
  readonly rules: NodeRules;
  readonly clock: Clock;
}

export class NodeTree {
  /** What `applyQos` wrote, as text; undefined since something else was written. */
  #qos: string | undefined;

  constructor(
    private readonly parts: TreeParts,
    private readonly account: Pick<QosAccount, "sums">,
    private readonly tellings: Pick<ReportsOnce, "want" | "refused">,
  ) {}

  /** As it is now. */
  plan(): Plan {
    return nodePlan(this.parts.rules, this.account.sums);
  }

  /** @throws NodeAgentError with the kubelet's message when it cannot be made at all */
  async make(): Promise<void> {
    const report = await this.apply(this.plan(), true);
    const failed = report.refused.find(({ wanted }) => wanted === NO_CGROUP);
    if (failed === undefined) return;
    throw new NodeAgentError("INVALID", `failed to create top level QOS cgroup ${failed.path} : ${failed.message}`);
  }

  /** Writes one reservation of the system, and returns its cgroup. @throws NodeAgentError with the kubelet's message */
  async enforce(key: ReservedKey): Promise<string> {
    const { files, layout, rules } = this.parts;
    const path = reservedPath(rules, key);
    const { refused } = await applyPlan(files, layout, reservedPlan(rules, key), { make: false });
    const fault = cgroupExists(files, layout, path) ? refused[0]?.message : missingCgroup(path);
    if (fault === undefined) return path;
    const what = key.startsWith("system") ? "System" : "Kube";
    const compressible = key.endsWith("-compressible") ? " Compressible" : "";
    throw new NodeAgentError(
      "INVALID",
      `Failed to enforce ${what} Reserved${compressible} Cgroup Limits on ${JSON.stringify(path)}: ${fault}`,
    );
  }

  /** Writes what the pods of each QoS class ask for together, once it has changed: reconciling repairs what others write there. */
  async applyQos(): Promise<void> {
    if (!this.parts.rules.cgroupsPerQOS) return;
    // What protects requests of memory stands in the cgroup of all pods too.
    const whole = this.parts.rules.memoryPolicy !== undefined;
    const plan = whole ? this.plan() : qosPlan(this.parts.rules, this.account.sums);
    const text = JSON.stringify(plan);
    if (text === this.#qos) return;
    const { refused } = await this.apply(plan);
    if (refused.length === 0) this.#qos = text;
  }

  /** Writes a plan of these cgroups; refusals of the kernel are reported. @param thorough checks existing cgroups as well */
  async apply(plan: Plan, thorough = false): Promise<Report> {
    const { files, layout } = this.parts;
    this.#qos = undefined;
    this.tellings.want(plan);
    const report = await applyPlan(files, layout, plan, { thorough });
    const usageOf = (path: string): number | undefined => readMemoryUsage(files, layout, path).usageBytes;
    const capped = this.parts.rules.qosReservedMemory === undefined ? [] : cappedAtUsage(plan, report.refused, usageOf);
    const again = capped.length === 0 ? report : await applyPlan(files, layout, capped);
    for (const path of new Set(plan.map((setting) => setting.path))) this.tellings.refused(again, path, undefined);
    return report;
  }
}

// `qosReserved` when the memory is in use already (kubelet's retrySetMemoryReserve).

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

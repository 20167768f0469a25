/** The plugin's options in the rc file: names and defaults are KubeletConfiguration's. */
import { duration, errorText, type OptionsSchema } from "@hooklet/core";
import { type CpuManagerOptions, cpuPolicies, cpuPolicyOptions } from "./cpu/options.js";
import type { CgroupDriver } from "./name/name.js";
import { type EnforcementKey, enforcementKeys } from "./rules/node-allocatable.js";
import { parseQosReserved } from "./rules/qos.js";

export interface CgroupOptions extends CpuManagerOptions {
  readonly cgroupRoot: string;
  readonly cgroupsPerQOS: boolean;
  /** Undefined: the runtime's driver; cgroupfs where it reports none. */
  readonly cgroupDriver?: CgroupDriver | undefined;
  readonly enforceNodeAllocatable: readonly (EnforcementKey | "none")[];
  readonly systemReservedCgroup: string;
  readonly kubeReservedCgroup: string;
  readonly podPidsLimit: number;
  readonly cpuCFSQuota: boolean;
  /** Seconds. */
  readonly cpuCFSQuotaPeriod: number;
  readonly memorySwap: { readonly swapBehavior: "" | "NoSwap" | "LimitedSwap" };
  readonly memoryThrottlingFactor: number | null;
  readonly memoryReservationPolicy: "None" | "TieredReservation";
  readonly qosReserved: Readonly<Record<string, string>>;
  readonly singleProcessOOMKill: boolean | null;
  /** hooklet's own: percent of the time in which pods may wait for memory (PSI `some`); null = no memory.high from pressure. */
  readonly memoryHighPressure: number | null;
  /** hooklet's own: the annotation `cgroups.hooklet.dev/cpu-burst` counts. */
  readonly burst: boolean;
}

const MAX_PIDS = 4_194_304;
/** hooklet's own rule: a path that stays below the hierarchies' roots. */
const CGROUP_PATH = /^$|^\/$|^(\/[A-Za-z0-9._:@=-]+)+$/;

export const options: OptionsSchema<CgroupOptions> = (z) => {
  const path = z
    .string()
    .refine(
      (text) => CGROUP_PATH.test(text) && !text.split("/").includes(".."),
      "a cgroupfs path such as /system, or none",
    );
  return z
    .strictObject({
      cgroupRoot: path
        .default("")
        .describe(
          "Cgroup below which `kubepods` lies. Default: / for an agent in /var/lib/hooklet, for others one of their own.",
        ),
      cgroupsPerQOS: z.boolean().default(true).describe("false: no QoS and pod cgroups at all."),
      cgroupDriver: z
        .enum(["cgroupfs", "systemd"])
        .optional()
        .describe("How names are written. Default: what the runtime says, else cgroupfs."),
      enforceNodeAllocatable: z
        .array(z.enum([...enforcementKeys, "none"]))
        .default(["pods"])
        .describe(
          "What is held to its reservation: pods, system-reserved, kube-reserved, the last two also -compressible.",
        ),
      systemReservedCgroup: path.default("").describe("The system's own cgroup, for system-reserved. Must be there."),
      kubeReservedCgroup: path
        .default("")
        .describe("The cgroup of the node's agents, for kube-reserved. Must be there."),
      podPidsLimit: z.int().min(-1).max(MAX_PIDS).default(-1).describe("Processes that a pod may have; -1 = no limit."),
      cpuCFSQuota: z.boolean().default(true).describe("false: cpu limits are not enforced."),
      cpuCFSQuotaPeriod: duration("1ms", "1s").default(0.1).describe("Period of cpu limits."),
      memorySwap: z
        .strictObject({ swapBehavior: z.enum(["", "NoSwap", "LimitedSwap"]).default("") })
        .prefault({})
        .describe("LimitedSwap: Burstable containers get a share of the machine's swap (cgroup v2)."),
      memoryThrottlingFactor: z
        .number()
        .gt(0)
        .max(1)
        .nullable()
        .default(null)
        .describe("memory.high: this share of the way from request to limit (cgroup v2). null = none."),
      memoryReservationPolicy: z
        .enum(["None", "TieredReservation"])
        .default("None")
        .describe("TieredReservation: requests are protected by memory.min and memory.low (cgroup v2)."),
      qosReserved: z
        .record(z.string(), z.string())
        .default({})
        .describe('{memory: "50%"}: how much of the better classes\' memory requests the others may not take.'),
      singleProcessOOMKill: z
        .boolean()
        .nullable()
        .default(null)
        .describe(
          "false: all of a container dies when one process is killed for lack of memory (default on cgroup v2).",
        ),
      burst: z
        .boolean()
        .default(false)
        .describe(
          "true: pods save up unused cpu quota, as much as their annotation cgroups.hooklet.dev/cpu-burst says.",
        ),
      memoryHighPressure: z
        .number()
        .gt(0)
        .max(100)
        .nullable()
        .default(null)
        .describe(
          "v2: memory.high of pods moves between request and limit so that they wait for memory this percentage of the time.",
        ),
      cpuManagerPolicy: z
        .enum(cpuPolicies)
        .default("none")
        .describe("static: containers of Guaranteed pods with whole CPUs have theirs for themselves."),
      cpuManagerPolicyOptions: z
        .partialRecord(z.enum(cpuPolicyOptions), z.enum(["true", "false"]))
        .default({})
        .describe(
          "Of policy static: full-pcpus-only (whole cores only), strict-cpu-reservation (no pod on reserved CPUs).",
        ),
      cpuManagerReconcilePeriod: duration("1s", "1h")
        .default(10)
        .describe("How often containers are moved to the CPUs that are theirs now."),
      volumeStatsAggPeriod: z.undefined("this as an option of plugin stats").optional(),
    })
    .check(({ value, issues }) => {
      for (const { path: place, message } of optionFaults(value)) {
        issues.push({ code: "custom", path: [...place], message, input: value });
      }
    }) as never;
};

/** Rules over several options, as the kubelet's validation has them. */
export function optionFaults(
  given: Pick<
    CgroupOptions,
    | "cgroupsPerQOS"
    | "enforceNodeAllocatable"
    | "systemReservedCgroup"
    | "kubeReservedCgroup"
    | "qosReserved"
    | "cpuManagerPolicy"
    | "cpuManagerPolicyOptions"
  >,
): { readonly path: readonly string[]; readonly message: string }[] {
  const faults: { path: string[]; message: string }[] = [];
  const enforce = "enforceNodeAllocatable";
  const keys = given.enforceNodeAllocatable;
  const fault = (path: string[], message: string): void => void faults.push({ path, message });
  if (keys.includes("none") && keys.length > 1) fault([enforce], 'no other key beside "none"');
  if (!given.cgroupsPerQOS && keys.some((key) => key !== "none")) {
    fault([enforce], 'an empty list or ["none"] while cgroupsPerQOS is off');
  }
  for (const [name, cgroup] of [
    ["system-reserved", "systemReservedCgroup"],
    ["kube-reserved", "kubeReservedCgroup"],
  ] as const) {
    const asked = keys.filter((key) => key.startsWith(name));
    if (asked.length > 0 && given[cgroup] === "")
      fault([cgroup], `a cgroup, since ${enforce} names ${asked.join(", ")}`);
    if (asked.length > 1) fault([enforce], `${name} or ${name}-compressible, not both`);
  }
  if (given.cpuManagerPolicy === "none" && Object.keys(given.cpuManagerPolicyOptions).length > 0) {
    fault(["cpuManagerPolicyOptions"], "none while cpuManagerPolicy is none");
  }
  try {
    parseQosReserved(given.qosReserved);
  } catch (error) {
    fault(["qosReserved"], errorText(error));
  }
  return faults;
}

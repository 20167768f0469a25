/** Options of the CPU manager, as KubeletConfiguration has them. */
export const cpuPolicies = ["none", "static"] as const;
export type CpuPolicyName = (typeof cpuPolicies)[number];

/** Of the kubelet's options of policy static those that stand here. */
export const cpuPolicyOptions = ["full-pcpus-only", "strict-cpu-reservation"] as const;
export type CpuPolicyOption = (typeof cpuPolicyOptions)[number];

export interface CpuManagerOptions {
  readonly cpuManagerPolicy: CpuPolicyName;
  /** `"true"` or `"false"`. */
  readonly cpuManagerPolicyOptions: Readonly<Partial<Record<CpuPolicyOption, "true" | "false">>>;
  /** Seconds. */
  readonly cpuManagerReconcilePeriod: number;
}

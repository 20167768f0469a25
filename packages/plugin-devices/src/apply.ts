/** What plugins allocated, put into a container's plan. */
import type { ContainerPlan } from "@hooklet/core";
import type { RunOptions } from "./device/run-options.js";

/** @throws ClaimConflictError naming another owner, NodeAgentError INVALID for what no container can have */
export function applyOptions(
  plan: ContainerPlan,
  { envs, mounts, devices, annotations, cdiDevices }: RunOptions,
): void {
  for (const { name, value } of envs) plan.setEnv(name, value);
  for (const { containerPath, hostPath, readOnly } of mounts) {
    plan.addMount({ containerPath, hostPath, readonly: readOnly, selinuxRelabel: false, propagation: "PRIVATE" });
  }
  for (const device of devices) plan.addDevice(device);
  for (const { name, value } of annotations) plan.setAnnotation(name, value);
  for (const name of cdiDevices) plan.addCdiDevice(name);
}

/** The pod's resources for the runtime (pkg/kubelet/kuberuntime/kuberuntime_sandbox_linux.go). Pure. */
import type { Pod } from "@hooklet/core";
import { amountOf, parseList, podLimits, podRequests } from "@hooklet/core/rules";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";
import { type CpuAndMemoryInput, type CpuAndMemoryRule, cpuAndMemory } from "./container.js";
import type { RuleOptions } from "./resource-config.js";

export interface SandboxResources {
  /** Of all containers, without overhead. */
  readonly resources: LinuxContainerResources;
  /** Of `spec.overhead`, where there is one. */
  readonly overhead?: LinuxContainerResources;
}

export function sandboxResources(pod: Pod, rule: CpuAndMemoryRule & RuleOptions): SandboxResources {
  const podLevel = { podLevelResources: rule.podLevelResources ?? true };
  const { overhead, ...spec } = pod.spec;
  const bare: Pod = overhead === undefined ? pod : { ...pod, spec };
  const requests = podRequests(bare, podLevel);
  const limits = podLimits(bare, podLevel);
  const resources = resourcesOf(
    { cpuRequest: requests.cpu, cpuLimit: limits.cpu ?? 0, memoryLimit: limits.memory ?? 0 },
    rule,
  );
  if (overhead === undefined) return { resources };
  const own = parseList(overhead);
  const amount = (resource: string): number => {
    const quantity = own.get(resource);
    return quantity === undefined ? 0 : amountOf(resource, quantity);
  };
  const cpu = amount("cpu");
  return { resources, overhead: resourcesOf({ cpuRequest: cpu, cpuLimit: cpu, memoryLimit: amount("memory") }, rule) };
}

/** Zeros say nothing in CRI. */
function resourcesOf(input: CpuAndMemoryInput, rule: CpuAndMemoryRule): LinuxContainerResources {
  const { unified, ...amounts } = cpuAndMemory(input, rule);
  const nonZero = Object.entries(amounts).filter(([, value]) => value !== 0);
  return { ...(Object.fromEntries(nonZero) as LinuxContainerResources), ...(unified && { unified }) };
}

/** What is said of processes that were killed for want of memory. Pure. */
import type { KernelKill } from "./kernel-kills.js";

/** The kubelet's (pkg/kubelet/oom): on the node, when the machine itself ran out. */
export const SYSTEM_OOM = "SystemOOM";
/** On the pod, as node-problem-detector calls it. */
export const OOM_KILLING = "OOMKilling";

export function systemOomMessage({ process, pid }: Pick<KernelKill, "process" | "pid">): string {
  return `System OOM encountered, victim process: ${process}, pid: ${pid}`;
}

export function oomKillingMessage({ system, process, pid }: Pick<KernelKill, "system" | "process" | "pid">): string {
  return `${system ? "System" : "Memory cgroup"} OOM encountered, victim process: ${process}, pid: ${pid}`;
}

/** Where the kernel's log may not be read, or said no more. */
export function unnamedMessage(count: number): string {
  return `Memory cgroup OOM encountered, ${count === 1 ? "a process was" : `${count} processes were`} killed`;
}

/** What a Node says of its machine. Pure. */
import { meminfoBytes, type SystemFacts } from "@hooklet/core/rules";

export interface SystemInfo extends SystemFacts {
  readonly containerRuntimeVersion: string;
  readonly kubeletVersion: string;
  /** Deprecated, and a field that has to be there. */
  readonly kubeProxyVersion: string;
  readonly swap?: { readonly capacity: number };
}

/** @param meminfo text of /proc/meminfo */
export function systemInfo(
  machine: SystemFacts,
  meminfo: string,
  runtime: { readonly runtimeName: string; readonly runtimeVersion: string },
  kubeletVersion: string,
): SystemInfo {
  const swap = meminfoBytes(meminfo, "SwapTotal") ?? 0;
  return {
    ...machine,
    containerRuntimeVersion: `${runtime.runtimeName}://${runtime.runtimeVersion.replace(/^v(?=\d)/, "")}`,
    kubeletVersion,
    kubeProxyVersion: "",
    ...(swap > 0 && { swap: { capacity: swap } }),
  };
}

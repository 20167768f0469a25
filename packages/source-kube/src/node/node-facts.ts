/** Machine facts in a Node. Pure. */
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
    containerRuntimeVersion: `${runtime.runtimeName}://${shownVersion(runtime.runtimeVersion)}`,
    kubeletVersion,
    kubeProxyVersion: "",
    ...(swap > 0 && { swap: { capacity: swap } }),
  };
}

const VERSION = /^\s*v?(\d+(?:\.\d+)*)(.*)$/s;
const PRE_RELEASE_AND_BUILD = /^(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?\s*$/;

/** A runtime's version as a kubelet shows it: a semantic one whole, of any other the numbers in front (`1.6.20~ds1`: Debian's). */
export function shownVersion(text: string): string {
  const [, numbers, more = ""] = VERSION.exec(text) ?? [];
  if (numbers === undefined) return text;
  const semantic = numbers.split(".").length === 3 && PRE_RELEASE_AND_BUILD.test(more);
  return semantic ? `${numbers}${more.trimEnd()}` : numbers;
}

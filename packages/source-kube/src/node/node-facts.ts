/** What a Node says of its machine. Pure. */

export interface SystemInfo {
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly containerRuntimeVersion: string;
  readonly kubeletVersion: string;
  /** Deprecated, and a field that has to be there. */
  readonly kubeProxyVersion: string;
  readonly operatingSystem: string;
  readonly architecture: string;
  readonly swap?: { readonly capacity: number };
}

/** The text of a file of the machine, empty when it is not there. */
export type ReadText = (path: string) => string;

export function systemInfo(
  read: ReadText,
  runtime: { readonly runtimeName: string; readonly runtimeVersion: string },
  platform: { readonly os: string; readonly arch: string },
  kubeletVersion: string,
): SystemInfo {
  const one = (...paths: readonly string[]): string =>
    paths.map((path) => read(path).trim()).find((text) => text !== "") ?? "";
  const swap = swapBytes(read("/proc/meminfo"));
  return {
    machineID: one("/etc/machine-id", "/var/lib/dbus/machine-id"),
    systemUUID: one("/sys/class/dmi/id/product_uuid", "/etc/machine-id").toLowerCase(),
    bootID: one("/proc/sys/kernel/random/boot_id"),
    kernelVersion: one("/proc/sys/kernel/osrelease"),
    osImage: osImage(one("/etc/os-release", "/usr/lib/os-release")),
    containerRuntimeVersion: `${runtime.runtimeName}://${shownVersion(runtime.runtimeVersion)}`,
    kubeletVersion,
    kubeProxyVersion: "",
    operatingSystem: platform.os,
    architecture: platform.arch,
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

function osImage(text: string): string {
  const quoted = /^PRETTY_NAME=(.*)$/m.exec(text)?.[1]?.trim() ?? "";
  return quoted.replace(/^(["'])(.*)\1$/, "$2") || "Linux";
}

function swapBytes(meminfo: string): number {
  return Number(/^SwapTotal:\s+(\d+) kB$/m.exec(meminfo)?.[1] ?? 0) * 1024;
}

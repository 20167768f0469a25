/** `nodeInfo` of a v1 Node (cAdvisor's MachineInfo and VersionInfo, which the kubelet reads). Pure. */
import type { Host } from "@hooklet/linux";

export interface SystemFacts {
  readonly operatingSystem: string;
  readonly architecture: string;
  readonly kernelVersion: string;
  /** PRETTY_NAME of os-release; `Linux` where it is missing. */
  readonly osImage: string;
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
}

/** Of the files that may tell, the first that does; what cannot be read is empty. @param platform GOOS and GOARCH */
export function systemFacts(
  host: Pick<Host, "textFile"> & { readonly kernel: Pick<Host["kernel"], "read"> },
  platform: { readonly os: string; readonly arch: string },
): SystemFacts {
  const read = (path: string): string => {
    const ofKernel = path.startsWith("/proc/") || path.startsWith("/sys/");
    try {
      return ((ofKernel ? host.kernel.read(path) : host.textFile(path)) ?? "").trim();
    } catch {
      // The product's UUID is root's alone: others go on to what comes after it.
      return "";
    }
  };
  const firstOf = (...paths: readonly string[]): string => paths.map(read).find((text) => text !== "") ?? "";
  return {
    operatingSystem: platform.os,
    architecture: platform.arch,
    kernelVersion: firstOf("/proc/sys/kernel/osrelease"),
    osImage: osImage(firstOf("/etc/os-release", "/usr/lib/os-release")),
    machineID: firstOf("/etc/machine-id", "/var/lib/dbus/machine-id"),
    systemUUID: firstOf("/sys/class/dmi/id/product_uuid", "/etc/machine-id").toLowerCase(),
    bootID: firstOf("/proc/sys/kernel/random/boot_id"),
  };
}

function osImage(release: string): string {
  const name = /^PRETTY_NAME=(.*)$/m.exec(release)?.[1]?.trim() ?? "";
  return name.replace(/^(["'])(.*)\1$/, "$2") || "Linux";
}

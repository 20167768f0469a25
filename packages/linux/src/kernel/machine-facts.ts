/** Machine facts, read through the host: amounts, and what a v1 Node shows as `nodeInfo`. Pure. */

import type { Host, KernelFiles } from "../host.js";

// Amounts from the kernel's files; undefined where a file is missing.

const PROCESS_LIMITS = ["/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"];
const HUGE_PAGES = "/sys/kernel/mm/hugepages";
const AMOUNT = /[ \t]+(\d+) kB$/my;

/** Bytes of a line of /proc/meminfo, such as `MemTotal:  16384 kB`. @param meminfo the whole text: readers want several lines of one moment */
export function meminfoBytes(meminfo: string, field: string): number | undefined {
  const key = `\n${field}:`;
  const at = meminfo.startsWith(key.slice(1)) ? -1 : meminfo.indexOf(key);
  if (at === -1 && !meminfo.startsWith(key.slice(1))) return undefined;
  AMOUNT.lastIndex = at + key.length;
  const kibibytes = AMOUNT.exec(meminfo)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** How many processes and threads there may be: the smaller of pid_max and threads-max, as far as they can be read. */
export function processLimit(kernel: Pick<KernelFiles, "read">): number | undefined {
  const limits = PROCESS_LIMITS.map((path) => Number.parseInt(kernel.read(path) ?? "", 10)).filter(Number.isFinite);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** How many processes and threads there are, by /proc/loadavg. */
export function processCount(kernel: Pick<KernelFiles, "read">): number | undefined {
  const tasks = /^\S+ \S+ \S+ \d+\/(\d+) /.exec(kernel.read("/proc/loadavg") ?? "")?.[1];
  return tasks === undefined ? undefined : Number(tasks);
}

/** Sizes of huge pages in bytes, ascending, and how many pages the machine keeps of each; none where the kernel has no huge pages. */
export function hugePages(
  kernel: Pick<KernelFiles, "read" | "directories">,
  directory: string = HUGE_PAGES,
): readonly { readonly pageBytes: number; readonly pages: number }[] {
  const found = kernel.directories(directory).flatMap((name) => {
    const kibibytes = /^hugepages-(\d+)kB$/.exec(name)?.[1];
    if (kibibytes === undefined) return [];
    const pages = Number.parseInt(kernel.read(`${directory}/${name}/nr_hugepages`) ?? "", 10) || 0;
    return [{ pageBytes: Number(kibibytes) * 1024, pages }];
  });
  return found.sort((a, b) => a.pageBytes - b.pageBytes);
}

/** `nodeInfo` of a v1 Node (cAdvisor's MachineInfo and VersionInfo, which the kubelet reads). */
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

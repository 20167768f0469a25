/** Machine facts from the kernel's files; undefined where a file is missing. Pure. */
import type { KernelFiles } from "@hooklet/linux";

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

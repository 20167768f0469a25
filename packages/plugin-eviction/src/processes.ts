/** The machine's processes: which of them are dead, and what they read and write. Pure readers of procfs. */
import type { KernelFiles } from "@hooklet/core/subsystem";

type KernelReader = Pick<KernelFiles, "read" | "directories">;

/**
 * Number of zombies whose parent, the machine's init, has not reaped them yet. They count as tasks, belong to no
 * pod, and no eviction reduces their number.
 */
export function unreapedByInit(kernel: KernelReader): number {
  let dead = 0;
  for (const pid of childrenOfInit(kernel) ?? pids(kernel)) {
    const stat = kernel.read(`/proc/${pid}/stat`) ?? "";
    // The name may hold anything, brackets too.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" && parent === "1") dead += 1;
  }
  return dead;
}

/** Undefined where the kernel does not list children: then all processes are read. */
function childrenOfInit(kernel: KernelReader): readonly string[] | undefined {
  const lists = kernel.directories("/proc/1/task").map((thread) => kernel.read(`/proc/1/task/${thread}/children`));
  const known = lists.filter((list) => list !== undefined);
  return known.length === 0 ? undefined : known.flatMap((list) => list.split(" ").filter((pid) => /^\d+$/.test(pid)));
}

/** Bytes that processes have read and written since they started, by pid. */
export type Moved = ReadonlyMap<string, number>;

/** Processes that cannot be read, or have ended, are left out. */
export function movedSoFar(kernel: KernelReader, pids: Iterable<string>): Moved {
  const moved = new Map<string, number>();
  for (const pid of pids) {
    const text = ioOf(kernel, pid);
    const bytes = ["read_bytes", "write_bytes"].map((field) => new RegExp(`^${field}: (\\d+)$`, "m").exec(text)?.[1]);
    if (bytes.every((one) => one !== undefined)) moved.set(pid, Number(bytes[0]) + Number(bytes[1]));
  }
  return moved;
}

/** Bytes between two samples, of some processes; a process that started between them counts whole. */
export function movedBetween(before: Moved, after: Moved, pids: readonly string[]): number {
  return pids.reduce((sum, pid) => sum + Math.max(0, (after.get(pid) ?? 0) - (before.get(pid) ?? 0)), 0);
}

function pids(kernel: KernelReader): readonly string[] {
  return kernel.directories("/proc").filter((name) => /^\d+$/.test(name));
}

/** The kernel refuses it for processes of others, and for those that are just going. */
function ioOf(kernel: KernelReader, pid: string): string {
  try {
    return kernel.read(`/proc/${pid}/io`) ?? "";
  } catch {
    return "";
  }
}

/** /proc/PID/cgroup: where a process is in each hierarchy. Pure. */
import type { KernelFiles } from "../host.js";

/** Controllers (as text, "" for v2) with the cgroupfs path, one for each line. */
export function ownCgroups(text: string): readonly (readonly [controllers: string, path: string])[] {
  return text.split("\n").flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    return controllers === undefined || path === undefined ? [] : [[controllers, path] as const];
  });
}

/** Container id -> pids of its processes: the last part of a process's cgroup names its container, in one way or another. */
export function processesByContainer(
  kernel: Pick<KernelFiles, "read" | "directories">,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const pid of kernel.directories("/proc").filter((name) => /^\d+$/.test(name))) {
    const ids = ownCgroups(kernel.read(`/proc/${pid}/cgroup`) ?? "").map(([, path]) => containerIdOf(path));
    for (const id of new Set(ids)) {
      const own = found.get(id) ?? [];
      found.set(id, own);
      own.push(pid);
    }
  }
  return found;
}

/** The id of the container whose cgroup this is: `.../<id>`, or systemd's `.../cri-containerd-<id>.scope`. */
export function containerIdOf(path: string): string {
  const last = path.slice(path.lastIndexOf("/") + 1);
  return /-([^-]+)\.scope$/.exec(last)?.[1] ?? last;
}

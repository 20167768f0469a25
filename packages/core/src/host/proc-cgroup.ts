/** /proc/PID/cgroup: where a process is in each hierarchy. Pure. */

/** Controllers (as text, "" for v2) with the cgroupfs path, one for each line. */
export function ownCgroups(text: string): readonly (readonly [controllers: string, path: string])[] {
  return text.split("\n").flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    return controllers === undefined || path === undefined ? [] : [[controllers, path] as const];
  });
}

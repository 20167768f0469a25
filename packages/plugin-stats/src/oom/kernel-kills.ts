/** OOM kills in the kernel's log (mm/oom_kill.c since Linux 5.0). Pure. */

export interface KernelKill {
  readonly pid: number;
  readonly process: string;
  /** Memory ran out on the whole machine, or in the cgroup `exceeded`. */
  readonly system: boolean;
  /** The cgroup that was at its limit; "/" is the machine's. */
  readonly exceeded: string;
  /** The process's own cgroup. */
  readonly cgroup: string;
}

/** `oom-kill:constraint=CONSTRAINT_MEMCG,...,oom_memcg=/a,task_memcg=/a/b,task=NAME,pid=1,uid=0` */
const CONTEXT =
  /^oom-kill:constraint=([A-Z_]+),.*?(?:oom_memcg=(.*?)|(global_oom)),task_memcg=(.*?),task=.*,pid=(\d+),uid=\d+$/;
/** Of the victim, and with `memory.oom.group` of each process that goes with it. */
const KILLED = /Killed process (\d+) \((.*?)\) total-vm:/;

type Context = Pick<KernelKill, "system" | "exceeded" | "cgroup">;

/** In their order. A kill whose context was overwritten in the log is left out: its cgroup is unknown. */
export function kernelKills(lines: readonly string[]): KernelKill[] {
  let context: Context | undefined;
  const kills: KernelKill[] = [];
  for (const line of lines) {
    const [, constraint, exceeded = "/", , cgroup = "/"] = CONTEXT.exec(line) ?? [];
    if (constraint !== undefined) context = { system: constraint !== "CONSTRAINT_MEMCG", exceeded, cgroup };
    const [, pid, process = ""] = KILLED.exec(line) ?? [];
    if (pid === undefined || context === undefined) continue;
    kills.push({ ...context, pid: Number(pid), process });
  }
  return kills;
}

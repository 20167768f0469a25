/** Whose process a cgroup's was. Pure. */

import type { Pod } from "@hooklet/core";
import { containerIdOf } from "@hooklet/core/rules";

export interface Victim {
  readonly pod: Pod;
  /** Undefined: in the pod, but in none of the containers that are known (its sandbox). */
  readonly container: { readonly name: string; readonly id: string } | undefined;
}

export interface KnownPod {
  readonly pod: Pod;
  /** Of the pod. */
  readonly path: string;
  /** Container's id -> name: what runs, and what ran before. */
  readonly containers: ReadonlyMap<string, string>;
}

/** Finds a pod by a cgroup at or below its own, with any prefix of the kernel. */
export function victimFinder(pods: readonly KnownPod[]): (cgroup: string) => Victim | undefined {
  const byFolder = new Map(pods.map((known) => [known.path.slice(known.path.lastIndexOf("/") + 1), known]));
  return (cgroup) => {
    const parts = cgroup.split("/");
    for (const [index, part] of parts.entries()) {
      const known = byFolder.get(part);
      if (known === undefined) continue;
      const id = containerIdOf(parts[index + 1] ?? "");
      const name = known.containers.get(id);
      return { pod: known.pod, container: name === undefined ? undefined : { name, id } };
    }
    return undefined;
  };
}

interface EndedContainer {
  readonly name: string;
  readonly id: string;
  readonly oomKilled: boolean;
}

/** Ended containers that the pod's status still contains. */
export function endedContainers({ status }: Pod): EndedContainer[] {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.flatMap(({ name, state, lastState }) =>
    [state?.terminated, lastState?.terminated].flatMap((ended) => {
      const id = ended?.containerID?.replace(/^[^/]*:\/\//, "") ?? "";
      return id === "" ? [] : [{ name, id, oomKilled: ended?.reason === "OOMKilled" }];
    }),
  );
}

// OOM kills in the kernel's log (mm/oom_kill.c since Linux 5.0).

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

/** What containers use, as it changes: memory and its end, disks, processes. */
import type { Disks } from "./disks.js";
import type { Machine } from "./machine.js";
import { exit, type Running } from "./running.js";

export interface Amounts {
  readonly memory?: number;
  readonly disk?: number;
  readonly pids?: number;
}

interface Consumer {
  readonly container: Running;
  readonly cgroup: string | undefined;
  readonly pid: number;
  used: Required<Amounts>;
}

const NOTHING: Required<Amounts> = { memory: 0, disk: 0, pids: 0 };
/** The kernel keeps so much of a process's name. */
const NAME_SHOWN = 15;

export class Consumption {
  readonly #consumers = new Map<string, Consumer>();

  constructor(
    private readonly machine: Machine,
    private readonly disks: Disks,
  ) {}

  started(container: Running): void {
    const { id, cgroupParent, limitBytes } = container;
    const cgroup = cgroupParent === "" ? undefined : `${cgroupParent}/${id}`;
    if (cgroup !== undefined) this.machine.usage.make(cgroup, limitBytes);
    const pid = cgroup === undefined ? 0 : this.machine.startProcess(cgroup, () => exit(container, 137));
    this.#consumers.set(id, { container, cgroup, pid, used: NOTHING });
    this.set(id, { pids: 1 });
  }

  ended(id: string): void {
    const consumer = this.#consumers.get(id);
    if (consumer === undefined) return;
    const { cgroup, pid, used } = consumer;
    // The layer stays on disk until the container is removed.
    this.#put(consumer, { ...NOTHING, disk: used.disk });
    if (cgroup === undefined) return;
    this.machine.endProcess(pid);
    for (const folder of this.machine.usage.foldersOf(cgroup)) this.machine.kernel.removeDirectory(folder);
  }

  /** With its writable layer. */
  removed(id: string): void {
    const consumer = this.#consumers.get(id);
    if (consumer === undefined) return;
    this.disks.growLayers(-consumer.used.disk);
    this.#consumers.delete(id);
  }

  resized(id: string, limitBytes: number | undefined): void {
    const cgroup = this.#consumers.get(id)?.cgroup;
    if (cgroup !== undefined && limitBytes !== undefined) this.machine.usage.setLimit(cgroup, limitBytes);
  }

  used(id: string): Required<Amounts> {
    return this.#consumers.get(id)?.used ?? NOTHING;
  }

  /** From now on, of a container that runs; others are left alone. The kernel may kill a container for lack of memory. */
  set(id: string, amounts: Amounts): void {
    const consumer = this.#consumers.get(id);
    if (consumer === undefined) return;
    this.#put(consumer, { ...consumer.used, ...amounts });
    if (consumer.cgroup !== undefined && amounts.memory !== undefined) this.#outOfMemory(consumer.cgroup);
  }

  /** After memory of the machine itself grew. */
  check(): void {
    this.#outOfMemory("/");
  }

  #put(consumer: Consumer, used: Required<Amounts>): void {
    const before = consumer.used;
    consumer.used = used;
    if (consumer.cgroup !== undefined) this.machine.usage.set(consumer.cgroup, used, before);
    this.disks.growLayers(used.disk - before.disk);
    const { record } = consumer.container;
    record.stats = {
      ...record.stats,
      writableLayerUsedBytes: used.disk,
      writableLayerInodesUsed: 1,
      memoryWorkingSetBytes: used.memory,
    };
  }

  /** The kernel kills until memory suffices: in the cgroup that is over its limit, by size and oom_score_adj. */
  #outOfMemory(cgroup: string): void {
    for (let tries = this.#consumers.size; tries > 0; tries--) {
      const exceeded = this.machine.usage.exceeded(cgroup);
      if (exceeded === undefined) return;
      const victim = this.#victim(exceeded);
      if (victim === undefined) return;
      this.#kill(victim, exceeded);
    }
  }

  #victim(exceeded: string): Consumer | undefined {
    const below = exceeded === "/" ? "/" : `${exceeded}/`;
    let worst: { readonly consumer: Consumer; readonly badness: number } | undefined;
    for (const consumer of this.#consumers.values()) {
      const { cgroup, used, container } = consumer;
      if (used.memory === 0 || cgroup === undefined || !`${cgroup}/`.startsWith(below)) continue;
      const badness = used.memory + (container.oomScoreAdj * this.machine.memoryBytes) / 1000;
      if (worst === undefined || badness > worst.badness) worst = { consumer, badness };
    }
    return worst?.consumer;
  }

  #kill({ container, cgroup = "", pid }: Consumer, exceeded: string): void {
    const process = container.name.slice(0, NAME_SHOWN);
    const machine = exceeded === "/";
    const constraint = machine
      ? "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom"
      : `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=${exceeded}`;
    this.machine.logKernel(
      `${constraint},task_memcg=${cgroup},task=${process},pid=${pid},uid=0`,
      `${machine ? "Out of memory" : "Memory cgroup out of memory"}: Killed process ${pid} (${process}) total-vm:0kB, anon-rss:0kB, file-rss:0kB`,
    );
    this.machine.usage.killed(cgroup);
    exit(container, 137, "OOMKilled");
  }
}

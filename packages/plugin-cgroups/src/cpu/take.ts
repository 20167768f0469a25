/** Which processors a container gets (pkg/kubelet/cm/cpumanager takeByTopologyNUMAPacked). Pure. */
import { type CpuSet, type CpuTopology, type Level, NO_CPUS } from "./topology.js";

/** The processors, or the kubelet's message why there are none. */
export type Taken = { readonly cpus: CpuSet } | { readonly error: string };

/**
 * Best fit by topology: whole NUMA nodes and sockets while the request needs that many, then whole cores, then single threads;
 * of all of these the fullest first, so that what is free stays together.
 */
export function takeByTopology(topology: CpuTopology, available: CpuSet, count: number): Taken {
  if (count <= 0) return { cpus: NO_CPUS };
  if (available.size < count) {
    const error = `not enough cpus available to satisfy request: requested=${count}, available=${available.size}`;
    return { error };
  }
  const taking = new Taking(topology, available, count);
  // Where a NUMA node may have several sockets, nodes are the larger parts; otherwise sockets are.
  const nodesFirst = topology.sockets.length >= topology.nodes.length;
  const order: readonly Level[] = nodesFirst ? ["node", "socket", "core"] : ["socket", "node", "core"];
  for (const level of order) taking.takeWhole(level, order);
  taking.takeRest(order);
  return { cpus: taking.result };
}

class Taking {
  readonly result = new Set<number>();
  readonly #free: Set<number>;
  /** Free processors of each part, kept up to date. */
  readonly #counts: Readonly<Record<Level, Map<number, number>>> = {
    core: new Map(),
    socket: new Map(),
    node: new Map(),
  };
  #needed: number;

  constructor(
    private readonly topology: CpuTopology,
    available: CpuSet,
    count: number,
  ) {
    this.#needed = count;
    this.#free = new Set([...available].filter((cpu) => topology.cpus.has(cpu)));
    for (const cpu of this.#free) this.#count(cpu, 1);
  }

  /** Takes whole free parts, as long as the request needs all of one. */
  takeWhole(level: Level, order: readonly Level[]): void {
    const whole = this.#sorted(level, order).filter((id) => this.#counts[level].get(id) === this.#sizeOf(level, id));
    for (const id of whole) {
      const members = this.topology.members(level, id);
      if (this.#needed >= members.size && this.#needed > 0) for (const cpu of members) this.#take(cpu);
    }
  }

  takeRest(order: readonly Level[]): void {
    if (this.#needed === 0) return;
    for (const core of this.#sorted("core", order)) {
      for (const cpu of this.topology.members("core", core)) {
        if (this.#needed === 0) return;
        if (this.#free.has(cpu)) this.#take(cpu);
      }
    }
  }

  /** Sockets and cores are measured by the average of the machine, as in the kubelet. */
  #sizeOf(level: Level, id: number): number {
    if (level === "core") return this.topology.cpusPerCore;
    return level === "socket" ? this.topology.cpusPerSocket : this.topology.members(level, id).size;
  }

  /** Parts with free processors, fullest first within the next larger part, those in the same order. */
  #sorted(level: Level, order: readonly Level[]): readonly number[] {
    const outer = order[order.indexOf(level) - 1];
    const groups = outer === undefined ? [undefined] : this.#sorted(outer, order);
    return groups.flatMap((group) => this.#within(level, outer, group));
  }

  #within(level: Level, outer: Level | undefined, group: number | undefined): readonly number[] {
    const members = outer === undefined || group === undefined ? this.#free : this.topology.members(outer, group);
    const ids = new Set<number>();
    for (const cpu of members) {
      const place = this.#free.has(cpu) ? this.topology.place(cpu) : undefined;
      if (place !== undefined) ids.add(place[level]);
    }
    const counts = this.#counts[level];
    return [...ids].sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || a - b);
  }

  #take(cpu: number): void {
    if (!this.#free.delete(cpu)) return;
    this.result.add(cpu);
    this.#needed--;
    this.#count(cpu, -1);
  }

  #count(cpu: number, by: 1 | -1): void {
    const place = this.topology.place(cpu);
    if (place === undefined) return;
    for (const level of ["core", "socket", "node"] as const) {
      const counts = this.#counts[level];
      counts.set(place[level], (counts.get(place[level]) ?? 0) + by);
    }
  }
}

/** Which processors share a core, a socket, a NUMA node (pkg/kubelet/cm/cpumanager/topology). Pure. */

// Sets of processors.

export type CpuSet = ReadonlySet<number>;

export const NO_CPUS: CpuSet = new Set();

export function union(...sets: readonly CpuSet[]): CpuSet {
  return new Set(sets.flatMap((set) => [...set]));
}

export function difference(from: CpuSet, taken: CpuSet): CpuSet {
  return new Set([...from].filter((cpu) => !taken.has(cpu)));
}

export function intersection(a: CpuSet, b: CpuSet): CpuSet {
  return new Set([...a].filter((cpu) => b.has(cpu)));
}

export function sameCpus(a: CpuSet, b: CpuSet): boolean {
  return a.size === b.size && [...a].every((cpu) => b.has(cpu));
}

export interface CpuPlace {
  readonly cpu: number;
  /** The lowest processor of the core, as in the kubelet: unique over the machine. */
  readonly core: number;
  readonly socket: number;
  readonly node: number;
}

/** A part of the machine that holds processors. */
export type Level = "core" | "socket" | "node";

export class CpuTopology {
  /** All processors that are online. */
  readonly cpus: CpuSet;
  /** NUMA nodes with processors, ascending. */
  readonly nodes: readonly number[];
  readonly sockets: readonly number[];
  readonly cpusPerCore: number;
  readonly cpusPerSocket: number;
  readonly #places: ReadonlyMap<number, CpuPlace>;
  readonly #members: Readonly<Record<Level, ReadonlyMap<number, CpuSet>>>;

  constructor(places: readonly CpuPlace[]) {
    const sorted = [...places].sort((a, b) => a.cpu - b.cpu);
    this.#places = new Map(sorted.map((place) => [place.cpu, place]));
    this.cpus = new Set(this.#places.keys());
    this.#members = { core: grouped(sorted, "core"), socket: grouped(sorted, "socket"), node: grouped(sorted, "node") };
    const { core, socket, node } = this.#members;
    this.nodes = [...node.keys()].sort((a, b) => a - b);
    this.sockets = [...socket.keys()].sort((a, b) => a - b);
    // Whole numbers, as in the kubelet: machines whose cores differ count as if they did not.
    this.cpusPerCore = core.size === 0 ? 0 : Math.floor(sorted.length / core.size);
    this.cpusPerSocket = socket.size === 0 ? 0 : Math.floor(sorted.length / socket.size);
  }

  place(cpu: number): CpuPlace | undefined {
    return this.#places.get(cpu);
  }

  /** All processors of a core, socket or node, free or not. */
  members(level: Level, id: number): CpuSet {
    return this.#members[level].get(id) ?? new Set();
  }

  /** With all their siblings. */
  wholeCores(cpus: Iterable<number>): CpuSet {
    const whole = new Set<number>();
    for (const cpu of cpus) {
      const core = this.#places.get(cpu)?.core;
      if (core !== undefined) for (const sibling of this.members("core", core)) whole.add(sibling);
    }
    return whole;
  }
}

function grouped(places: readonly CpuPlace[], level: Level): ReadonlyMap<number, CpuSet> {
  const groups = new Map<number, Set<number>>();
  for (const place of places) {
    const group = groups.get(place[level]);
    if (group === undefined) groups.set(place[level], new Set([place.cpu]));
    else group.add(place.cpu);
  }
  return groups;
}

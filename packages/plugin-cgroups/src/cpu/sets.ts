/** Sets of processors. Pure. */
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

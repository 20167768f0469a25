/** Sets of NUMA nodes as bits: bit i is the i-th of a list of nodes. Pure. */

/** More nodes have too many subsets to try; the kubelet's limit. */
export const MAX_NODES = 8;

/** The set of those of `ids` that `nodes` names; others are left out. */
export function maskOf(ids: readonly number[], nodes: readonly number[]): number {
  return ids.reduce((mask, id) => {
    const bit = nodes.indexOf(id);
    return bit < 0 ? mask : mask | (1 << bit);
  }, 0);
}

export function nodesOf(mask: number, nodes: readonly number[]): readonly number[] {
  return nodes.filter((_, bit) => (mask & (1 << bit)) !== 0);
}

export function sizeOf(mask: number): number {
  let size = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) size++;
  return size;
}

/** All sets of `count` nodes but the empty one, small sets first. */
export function subsets(count: number): readonly number[] {
  const all = Array.from({ length: 2 ** count - 1 }, (_, index) => index + 1);
  return all.sort((a, b) => sizeOf(a) - sizeOf(b) || a - b);
}

/** Fewer nodes, or as many with lower numbers. */
export function isNarrower(a: number, b: number): boolean {
  const [x, y] = [sizeOf(a), sizeOf(b)];
  return x === y ? a < b : x < y;
}

/** One choice of NUMA nodes out of the hints of all resources (pkg/kubelet/cm/topologymanager HintMerger). Pure. */

import type { ResourceHints, TopologyHint } from "@hooklet/core/subsystem";

// Sets of NUMA nodes as bits: bit i is the i-th of a list of nodes.

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

/** A hint as bits over the machine's nodes; undefined: any node. */
export interface MaskHint {
  readonly mask: number | undefined;
  readonly preferred: boolean;
}

/** Each provider's hints for the requested resources. */
export type ProviderHints = readonly ReadonlyMap<string, ResourceHints>[];

/** The lists to merge, one for each resource. Nothing to say is "any, preferred", impossible is "any, not preferred". */
export function hintLists(providers: ProviderHints, machineNodes: readonly number[]): readonly (readonly MaskHint[])[] {
  return providers.flatMap((byResource) =>
    byResource.size === 0
      ? [[{ mask: undefined, preferred: true }]]
      : [...byResource.values()].map((hints) => maskHints(hints, machineNodes)),
  );
}

function maskHints(hints: ResourceHints, machineNodes: readonly number[]): readonly MaskHint[] {
  if (hints === null) return [{ mask: undefined, preferred: true }];
  if (hints.length === 0) return [{ mask: undefined, preferred: false }];
  return hints.map(({ nodes, preferred }) => ({
    mask: nodes === undefined ? undefined : maskOf(nodes, machineNodes),
    preferred,
  }));
}

/**
 * Takes one hint of each list, in every combination; their common nodes are a merged hint, preferred when all are
 * preferred and name the same nodes. The best is a preferred one, the narrowest of those; else the one whose size comes
 * closest, from below, to what the neediest resource needs. Many combinations have the same result: only distinct ones
 * are followed, so that the work does not multiply with the number of resources.
 */
export function mergeHints(lists: readonly (readonly MaskHint[])[], machineNodes: readonly number[]): TopologyHint {
  const everywhere = 2 ** machineNodes.length - 1;
  let states = new Map<string, State>([["", { mask: everywhere, common: undefined, preferred: true }]]);
  for (const list of lists) {
    const next = new Map<string, State>();
    for (const state of states.values()) {
      for (const hint of list) {
        const merged = join(state, hint);
        next.set(`${merged.mask} ${merged.common} ${merged.preferred}`, merged);
      }
    }
    states = next;
  }
  const size = neediest(lists);
  let best: State | undefined;
  for (const state of states.values()) {
    if (state.mask !== 0 && (best === undefined || isBetter(state, best, size))) best = state;
  }
  if (best === undefined) return { nodes: machineNodes, preferred: false };
  return { nodes: nodesOf(best.mask, machineNodes), preferred: best.preferred };
}

/** The distinct results so far. */
interface State {
  readonly mask: number;
  /** The nodes that all hints with nodes name; undefined: none has named any yet. */
  readonly common: number | undefined;
  readonly preferred: boolean;
}

function join(state: State, { mask, preferred }: MaskHint): State {
  const both = state.preferred && preferred;
  if (mask === undefined) return { ...state, preferred: both };
  const same = state.common === undefined || state.common === mask;
  const good = both && same;
  // Once it is not preferred it stays so: what the hints have in common matters no more.
  return { mask: state.mask & mask, common: good ? mask : -1, preferred: good };
}

/** The largest of the smallest sets with which each resource could do. */
function neediest(lists: readonly (readonly MaskHint[])[]): number {
  const smallest = lists.map((list) => {
    const sizes = list.flatMap(({ mask }) => (mask === undefined ? [] : [sizeOf(mask)]));
    return sizes.length === 0 ? 0 : Math.min(...sizes);
  });
  return Math.max(0, ...smallest);
}

function isBetter(candidate: State, current: State, wanted: number): boolean {
  if (candidate.preferred !== current.preferred) return candidate.preferred;
  if (candidate.preferred) return isNarrower(candidate.mask, current.mask);
  const [size, best] = [sizeOf(candidate.mask), sizeOf(current.mask)];
  if (best > wanted) return isNarrower(candidate.mask, current.mask);
  if (size > wanted) return false;
  return size === best ? isNarrower(candidate.mask, current.mask) : size > best;
}

/** The kubelet's choice of pods to preempt (pkg/kubelet/preemption getPodsToPreempt), for any number of ranks. Pure. */
import type { Candidate } from "./candidate.js";
import { distanceTo, type Requirement, subtract } from "./requirements.js";

/** Whether `a` goes before `b`, which stands earlier in the list and is as near. */
export type Smaller = (a: Candidate, b: Candidate) => boolean;

/** Less memory first, then less cpu; of equals the later one. */
export const smallerResourceRequest: Smaller = ({ requests: a }, { requests: b }) => {
  const [memory, otherMemory] = [a.memory ?? 0, b.memory ?? 0];
  return memory === otherMemory ? (a.cpu ?? 0) <= (b.cpu ?? 0) : memory < otherMemory;
};

/**
 * Groups of equal rank, the lowest first: a group gives only what all lower ones together can't; then the lower ones
 * give what is left. The kubelet's groups are the QoS classes. Pods of the lowest group come first.
 */
export function podsToPreempt(
  candidates: readonly Candidate[],
  requirements: readonly Requirement[],
  rank: (candidate: Candidate) => readonly number[],
  smaller: Smaller = smallerResourceRequest,
): readonly Candidate[] {
  const groups = grouped(candidates, rank);
  const beyond: (readonly Requirement[])[] = [];
  let left = requirements;
  for (const group of groups) {
    beyond.push(left);
    left = subtract(left, group);
  }
  const freed: Record<string, number> = {};
  const picks: (readonly Candidate[])[] = [];
  for (const [index, group] of [...groups.entries()].reverse()) {
    const picked = byDistance(group, subtract(beyond[index] ?? [], [{ requests: freed }]), smaller);
    for (const { requests } of picked) {
      for (const { resource } of requirements) freed[resource] = (freed[resource] ?? 0) + (requests[resource] ?? 0);
    }
    picks.push(picked);
  }
  return picks.reverse().flat();
}

/** Again and again the pod nearest to what is still required; the list's last pod takes its place. */
function byDistance(
  group: readonly Candidate[],
  requirements: readonly Requirement[],
  smaller: Smaller,
): readonly Candidate[] {
  const left = requirements.map(({ quantity }) => quantity);
  // Each pick compares each pod again: its numbers are computed once.
  const pods = group.map((candidate) => ({
    candidate,
    amounts: requirements.map(({ resource }) => candidate.requests[resource] ?? 0),
  }));
  const picked: Candidate[] = [];
  while (pods.length > 0 && left.some((quantity) => quantity > 0)) {
    let best = pods[0] as (typeof pods)[number];
    let position = 0;
    let nearest = Number.POSITIVE_INFINITY;
    for (let index = 0; index < pods.length; index++) {
      const pod = pods[index] as (typeof pods)[number];
      const own = distanceTo(left, pod.amounts);
      if (own > nearest || (own === nearest && !smaller(pod.candidate, best.candidate))) continue;
      best = pod;
      position = index;
      nearest = own;
    }
    picked.push(best.candidate);
    for (let i = 0; i < left.length; i++) left[i] = (left[i] ?? 0) - (best.amounts[i] ?? 0);
    const last = pods.pop() as (typeof pods)[number];
    if (position < pods.length) pods[position] = last;
  }
  return picked;
}

/** Groups of equal rank, the lowest first; order within a group is kept. */
export function grouped(
  candidates: readonly Candidate[],
  rank: (candidate: Candidate) => readonly number[],
): readonly (readonly Candidate[])[] {
  const groups = new Map<string, { readonly rank: readonly number[]; readonly members: Candidate[] }>();
  for (const candidate of candidates) {
    const own = rank(candidate);
    const key = own.join(" ");
    const group = groups.get(key) ?? { rank: own, members: [] };
    group.members.push(candidate);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => compareRanks(a.rank, b.rank)).map(({ members }) => members);
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const different = a.findIndex((value, index) => value !== b[index]);
  return different < 0 ? 0 : (a[different] ?? 0) - (b[different] ?? 0);
}

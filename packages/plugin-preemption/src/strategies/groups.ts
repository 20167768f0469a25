/** Choice over groups of candidates, of which the later ones are dearer. Pure. */
import type { Candidate } from "../candidate.js";
import { pick, smallestFirst } from "../pick/pick.js";
import type { TieBreak } from "../pick/shape.js";
import { type Requirement, subtract } from "../requirements.js";

/**
 * Each group gives only what all cheaper ones together cannot; then the cheaper ones give what is left. Victims of the
 * cheapest group come first.
 */
export function pickByGroups(
  groups: readonly (readonly Candidate[])[],
  requirements: readonly Requirement[],
  tieBreak: TieBreak = smallestFirst,
): readonly Candidate[] {
  const beyond: (readonly Requirement[])[] = [];
  let left = requirements;
  for (const group of groups) {
    beyond.push(left);
    left = subtract(left, group);
  }
  const freed: Record<string, number> = {};
  const picks: (readonly Candidate[])[] = [];
  for (const [index, group] of [...groups.entries()].reverse()) {
    const picked = pick(group, subtract(beyond[index] ?? [], [{ requests: freed }]), tieBreak);
    for (const { requests } of picked) {
      for (const { resource } of requirements) freed[resource] = (freed[resource] ?? 0) + (requests[resource] ?? 0);
    }
    picks.push(picked);
  }
  return picks.reverse().flat();
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

/** Pods that no rule of the pick can tell apart but by their place in the list. Pure. */
import type { Candidate } from "../candidate.js";
import type { Requirement } from "../requirements.js";
import { PositionHeap } from "./position-heap.js";

/** What decides between two pods of the same distance: the smaller first number goes, then the smaller second one. */
export type TieBreak = (candidate: Candidate) => readonly [number, number];

export interface Shape {
  /** What one of them gives, in the order of the requirements. */
  readonly amounts: readonly number[];
  readonly tie: readonly [number, number];
  /** Places in the list; those at or beyond its end are leftovers. */
  readonly positions: PositionHeap;
}

/** The shapes of a list, and for each place of the list its shape. */
export function shapesOf(
  list: readonly Candidate[],
  requirements: readonly Requirement[],
  tieBreak: TieBreak,
): { readonly shapes: readonly Shape[]; readonly at: Shape[] } {
  const shapes = new Map<string, Shape>();
  const at = list.map((candidate) => {
    const amounts = requirements.map(({ resource }) => candidate.requests[resource] ?? 0);
    const tie = tieBreak(candidate);
    const key = `${amounts.join(" ")} ${tie[0]} ${tie[1]}`;
    const known = shapes.get(key);
    if (known !== undefined) return known;
    const shape = { amounts, tie, positions: new PositionHeap() };
    shapes.set(key, shape);
    return shape;
  });
  // From the last place to the first: what is pushed stays where it is put.
  for (let position = at.length - 1; position >= 0; position--) at[position]?.positions.push(position);
  return { shapes: [...shapes.values()], at };
}

/** Negative when `a` goes before `b`. */
export function compareTies(a: readonly [number, number], b: readonly [number, number]): number {
  return a[0] === b[0] ? a[1] - b[1] : a[0] - b[0];
}

/** Pods that no rule of the pick can tell apart but by their place in the list. */
import type { Candidate } from "../candidate.js";
import type { Requirement } from "../requirements.js";
import { PositionHeap } from "./position-heap.js";

/** What decides between two pods of the same distance: the smaller first number goes, then the smaller second one. */
export type TieBreak = (candidate: Candidate) => readonly [number, number];

export class Shape {
  /** What one of them gives, in the order of the requirements. */
  readonly amounts: readonly number[];
  readonly tie: readonly [number, number];
  /** Places in the list; those at or beyond its end are leftovers. */
  readonly positions: PositionHeap;

  constructor(amounts: readonly number[], tie: readonly [number, number], positions: readonly number[]) {
    this.amounts = amounts;
    this.tie = tie;
    this.positions = new PositionHeap(positions);
  }
}

/** The shapes of a list, and for each place of the list its shape. */
export function shapesOf(
  list: readonly Candidate[],
  requirements: readonly Requirement[],
  tieBreak: TieBreak,
): { readonly shapes: readonly Shape[]; readonly at: Shape[] } {
  const groups = new Map<string, { amounts: number[]; tie: readonly [number, number]; positions: number[] }>();
  const keys = list.map((candidate, position) => {
    const amounts = requirements.map(({ resource }) => candidate.requests[resource] ?? 0);
    const tie = tieBreak(candidate);
    const key = `${amounts.join(" ")} ${tie[0]} ${tie[1]}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { amounts, tie, positions: [position] });
    else group.positions.push(position);
    return key;
  });
  const shapes = new Map([...groups].map(([key, { amounts, tie, positions }]) => [key, new Shape(amounts, tie, positions)]));
  return { shapes: [...shapes.values()], at: keys.map((key) => shapes.get(key) as Shape) };
}

/** Negative when `a` goes before `b`. */
export function compareTies(a: readonly [number, number], b: readonly [number, number]): number {
  return a[0] === b[0] ? a[1] - b[1] : a[0] - b[0];
}

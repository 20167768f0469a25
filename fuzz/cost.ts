/** What an input may cost, in milliseconds of CPU. Pure. */

/** Of a target: for any input, and for each byte of it. Far from what is right on a busy machine. */
export interface Allowance {
  readonly milliseconds: number;
  readonly nanosecondsPerByte: number;
}

/** For any input of any target. */
export const LONGEST = 1_000;

/** What twice as many bytes cost for one, at least, where cost grows like their square (4); where it grows as they do it is 2. */
const LIKE_THE_SQUARE = 2.8;
/** What four times as many cost at least: below that there is no result. */
const TOLD_FROM = 40;

export function allowed({ milliseconds, nanosecondsPerByte }: Allowance, bytes: number): number {
  return Math.min(LONGEST, milliseconds + (nanosecondsPerByte * bytes) / 1e6);
}

/** How many times what is allowed: the more, the more suspicious. */
export function excess(allowance: Allowance, bytes: number, took: number): number {
  return took / allowed(allowance, bytes);
}

/** Of the costs of an input, of twice and of four times as much. */
export function growsLikeTheSquare([one, two, four]: readonly [number, number, number]): boolean {
  return four >= TOLD_FROM && two > LIKE_THE_SQUARE * one && four > LIKE_THE_SQUARE * two;
}

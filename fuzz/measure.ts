/** How much CPU inputs cost. The machine may be busy elsewhere: what is suspicious is tried again, and the least counts. */
import { type Allowance, allowed, growsLikeTheSquare } from "./cost.js";
import type { Outcome } from "./target.js";

/** Tries of an input before it is a failure. */
const TRIES = 5;

export interface Measured {
  readonly outcome: Outcome;
  /** Milliseconds of CPU, of the cheapest try. */
  readonly took: number;
}

/** `cpu`: milliseconds that this process has used. @throws Error for an input that costs more than is allowed each time */
export async function measured(
  run: (input: Buffer) => Promise<Outcome>,
  input: Buffer,
  allowance: Allowance,
  cpu: () => number,
): Promise<Measured> {
  const most = allowed(allowance, input.length);
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 1; ; tries++) {
    const start = cpu();
    const outcome = await run(input);
    least = Math.min(least, cpu() - start);
    if (least <= most) return { outcome, took: least };
    if (tries === TRIES)
      throw new Error(
        `it took ${least.toFixed(0)} ms of CPU or more in ${TRIES} tries, expected at most ${most.toFixed(0)} ms for ${input.length} bytes`,
      );
  }
}

/** Milliseconds of CPU below which there is no result; and how much more than a quarter of it an input costs that does not cost as its length. */
const TOLD_FROM = 4;
const STEEP = 4;

/** Whether the input may cost more for each byte than a quarter of it does; `took`: what it took once. A first look, to be followed by `grown`. */
export async function isSteep(
  run: (input: Buffer) => Promise<unknown>,
  [quarter, input]: readonly [Buffer, Buffer],
  took: number,
  cpu: () => number,
): Promise<boolean> {
  let [short, long] = [Number.POSITIVE_INFINITY, took];
  for (let tries = 0; tries < TRIES; tries++) {
    if (long < TOLD_FROM) return false;
    const start = cpu();
    await run(quarter);
    short = Math.min(short, cpu() - start);
    if (long <= STEEP * short) return false;
    const again = cpu();
    await run(input);
    long = Math.min(long, cpu() - again);
  }
  return long > STEEP * short;
}

/** @throws Error for inputs, each twice as long as the one before, of which each costs four times as much */
export async function grown(
  run: (input: Buffer) => Promise<unknown>,
  inputs: readonly [Buffer, Buffer, Buffer],
  cpu: () => number,
): Promise<void> {
  const least: [number, number, number] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ];
  for (let tries = 0; tries < TRIES; tries++) {
    for (const [at, input] of inputs.entries()) {
      const start = cpu();
      await run(input);
      least[at] = Math.min(least[at] as number, cpu() - start);
    }
    if (!growsLikeTheSquare(least)) return;
  }
  const each = inputs.map(({ length }, at) => `${length} bytes ${(least[at] as number).toFixed(1)} ms`);
  throw new Error(`its cost grows like the square of its length: ${each.join(", ")} of CPU`);
}

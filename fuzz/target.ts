/** What is fuzzed: something that takes bytes from outside. */

import type { Allowance } from "./cost.js";

/** What became of an input. Whatever else is thrown is a crash. */
export type Outcome = "accepted" | "refused";

export interface Target {
  readonly name: string;
  /** Its part of a number of inputs: what is quick gets more. */
  readonly weight: number;
  /** What an input may cost. */
  readonly cost: Allowance;
  /**
   * The signal by which Node itself may end the process that does this, without a fault of what is tested: the agent has it done by a
   * process of its own for that. Such an end is no failure.
   */
  readonly mayEndBy?: NodeJS.Signals;
  /** Well-formed inputs that others are made of. */
  seeds(): readonly Uint8Array[];
  open(): Promise<OpenTarget>;
}

export interface OpenTarget {
  /** Throws, or rejects, where the code under test does what it must not. */
  run(input: Buffer): Promise<Outcome>;
  /** May be called once. */
  close(): Promise<void>;
}

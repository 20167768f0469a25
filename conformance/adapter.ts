/** How one topic of vectors is put to hooklet's own code. */
import type { VectorFile } from "./vector-file.js";

export interface Adapter<Input> {
  /** The keys of an input that it heeds: a case with another one fails by name. Left out by adapters that look themselves. */
  readonly keys?: readonly string[];
  /** Converts the input, calls the exported function, and gives the answer in the shape of `expected`. */
  run(input: Input): unknown;
  /** Turns an expectation into what `run` gives, where the vectors say more, or say it elsewhere in the file. */
  expected?(expected: never, file: VectorFile): unknown;
  /** The part of the answer that an expectation speaks of, where the cases of a topic tell different things. */
  part?(answer: never, expected: never): unknown;
}

/** Input of any shape: each adapter knows its own topic's. */
export type AnyAdapter = Adapter<never>;

/** What a worker tells of the inputs that it was given. */

export interface Report {
  readonly inputs: number;
  readonly accepted: number;
  readonly bytes: number;
  /** Of CPU. */
  readonly milliseconds: number;
  readonly slowest: Slowest;
  /** Bytes of heap more at the end than when a fifth was done. */
  readonly growth: number;
}

/** The input that came nearest to what it may cost, or beyond; `excess` 1 is just what is allowed. */
export interface Slowest {
  readonly index: number;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly excess: number;
}

export interface Failed {
  readonly index: number;
  readonly error: string;
}

export type Message =
  | { readonly kind: "report"; readonly report: Report }
  | { readonly kind: "failed"; readonly failed: Failed };

export const NONE: Slowest = { index: -1, milliseconds: 0, bytes: 0, excess: 0 };

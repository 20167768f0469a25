/** How much of a container's output is taken into its log. */

const MEBIBYTE = 1024 * 1024;
/** Bytes of one take, of the output and of the log: the record of an empty line is fifty times as long as the line. */
export const TAKE = MEBIBYTE;

/** Of more than `most` bytes that wait only the last `kept` are taken. */
export interface Limit {
  readonly most: number;
  readonly kept: number;
  readonly why: string;
}

/** Rotation would throw it away in a moment. */
export const WAITING: Limit = {
  most: 64 * MEBIBYTE,
  kept: 16 * MEBIBYTE,
  why: `more than ${64 * MEBIBYTE} bytes waited to be taken into the log`,
};

/** A container's end waits for its output: so much may go into the log before only one take more does. */
export const MAX_AT_END = 128 * MEBIBYTE;
export const AT_END: Limit = {
  most: TAKE,
  kept: TAKE,
  why: `more than ${MAX_AT_END} bytes went into the log at the container's end`,
};

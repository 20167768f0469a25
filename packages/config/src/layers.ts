/**
 * The layers of the configuration: rc files and the command line. Objects are merged key by key;
 * lists and single values of a later layer replace those of an earlier one, as does another strategy. Every value knows its layer. Pure.
 */

import { isPlainRecord } from "@hooklet/core/internal";
import type { Path } from "./faults/faults.js";
import type { Position } from "./rc-text.js";

export interface Layer {
  /** Absolute. Paths and packages that the layer names are found from here. */
  readonly file: string;
  /** As written, unchecked. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** The position of a path of `raw`, for messages: the file with line and column, or a flag. */
  place(path: Path): { readonly file: string } & Partial<Position>;
}

/** A value of one layer. */
export interface Held<L = Layer> {
  readonly layer: L;
  readonly value: unknown;
}

/** Keys that are set to undefined, as an rc file in JavaScript may do, are no keys. */
function step<L>(holders: readonly Held<L>[], key: string | number): readonly Held<L>[] {
  return holders.flatMap(({ layer, value }) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return [];
    const inner = (value as Readonly<Record<string | number, unknown>>)[key];
    return inner === undefined ? [] : [{ layer, value: inner }];
  });
}

/**
 * Those that show through: the last one, with the objects right below it when it is an object itself. What names another strategy, in
 * `{use, options}`, does not: its options are not those of the last one.
 */
function visible<L>(holders: readonly Held<L>[]): readonly Held<L>[] {
  const used = holders.map(({ value }) => useOf(value)).findLast((name) => name !== undefined);
  const covers = (value: unknown): boolean => !isPlainRecord(value) || (useOf(value) ?? used) !== used;
  const covering = holders.findLastIndex(({ value }) => covers(value));
  return holders.slice(covering === holders.length - 1 ? -1 : covering + 1);
}

function useOf(value: unknown): string | undefined {
  return isPlainRecord(value) && typeof value.use === "string" ? value.use : undefined;
}

/** The value that all layers make together, the last one winning; undefined when there is none. */
export function mergeHeld<L>(holders: readonly Held<L>[]): unknown {
  const seen = visible(holders);
  if (seen.length < 2) return seen[0]?.value;
  const keys = new Set(seen.flatMap(({ value }) => Object.keys(value as object)));
  const entries = [...keys].map((key) => [key, mergeHeld(step(seen, key))] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

export interface Owner<L> {
  readonly layer: L;
  /** Whether the value exists; otherwise the layer is the one that should have it. */
  readonly isSet: boolean;
}

/** The layer that set the value at a path of the merged value, or that should have; undefined without such a layer. */
export function ownerOf<L>(holders: readonly Held<L>[], path: Path): Owner<L> | undefined {
  let seen = visible(holders);
  for (const key of path) {
    const next = visible(step(seen, key));
    if (next.length === 0) {
      const last = seen.at(-1);
      return last === undefined ? undefined : { layer: last.layer, isSet: false };
    }
    seen = next;
  }
  const last = seen.at(-1);
  return last === undefined ? undefined : { layer: last.layer, isSet: true };
}

/** `FILE:LINE`, or the file alone where the line is not known, or the flag. */
export function placeText({ file, line }: { readonly file: string } & Partial<Position>): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** Texts of scenarios as numbers: times and quantities. Pure. */
import { parseQuantity, quantityValue } from "@hooklet/core/rules";
import { parseSeconds } from "./seconds.js";

/** Milliseconds; a number is seconds. The schema has let nothing else through. */
export function milliseconds(time: string | number): number {
  const seconds = typeof time === "number" ? time : parseSeconds(time);
  return Math.round((seconds ?? Number.NaN) * 1000);
}

/** Bytes, or pieces. */
export function amount(quantity: string | number): number {
  return typeof quantity === "number" ? quantity : quantityValue(parseQuantity(quantity));
}

/** The given amounts, undefined left out. */
export function amounts<Key extends string>(
  given: Readonly<Partial<Record<Key, string | number | undefined>>>,
): Partial<Record<Key, number>> {
  const entries = Object.entries(given) as [Key, string | number | undefined][];
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, amount(value)]])),
  ) as Partial<Record<Key, number>>;
}

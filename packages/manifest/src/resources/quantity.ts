/** Kubernetes quantities (apimachinery pkg/api/resource), exact: an amount is a bigint of billionths. Pure. */

export type QuantityFormat = "BinarySI" | "DecimalSI" | "DecimalExponent";

export interface Quantity {
  /** The amount in units of 1e-9. At most 2^63-1 whole units in magnitude. */
  readonly nano: bigint;
  /** How it was written; decides how it is printed. */
  readonly format: QuantityFormat;
}

/** apimachinery's messages. */
export const QuantityErrors = {
  format: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  suffix: "unable to parse quantity's suffix",
} as const;

const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_EXPONENTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

const SHAPE = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
const EXPONENT = /^[eE][+-]?\d+$/;

/** Longer texts are refused unread: no amount needs them, and digits cost quadratic time. */
const MAX_LENGTH = 256;
/** A decimal exponent beyond this is either over the cap or under a billionth, with any digits. */
const MAX_EXPONENT = MAX_LENGTH + 32;

export const NANO = 1_000_000_000n;
const MILLI = 1_000_000n;
const MAX_UNITS = 2n ** 63n - 1n;
const MAX_NANO = MAX_UNITS * NANO;

export const zeroQuantity: Quantity = { nano: 0n, format: "DecimalSI" };

/**
 * Reads `100m`, `1.5Gi`, `1e3`. Amounts finer than a billionth are rounded up (away from zero), amounts over 2^63-1
 * are capped there, as Kubernetes documents.
 * @throws Error with apimachinery's text
 */
export function parseQuantity(text: string): Quantity {
  const match = text.length > MAX_LENGTH ? null : SHAPE.exec(text);
  if (!match) throw new Error(QuantityErrors.format);
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  const { base, exponent, format } = readSuffix(suffix);
  const digits = BigInt(`0${whole}${fraction}`);
  if (digits === 0n) return { nano: 0n, format };

  const magnitude =
    base === 2
      ? scaleUp(digits * 2n ** BigInt(exponent), 9 - fraction.length)
      : scaleUp(digits, exponent + 9 - fraction.length);
  const capped = magnitude > MAX_NANO ? MAX_NANO : magnitude;
  return {
    nano: sign === "-" ? -capped : capped,
    // Below one unit a binary amount is printed as a decimal one, which loses nothing.
    format: format === "BinarySI" && capped < NANO ? "DecimalSI" : format,
  };
}

function readSuffix(suffix: string): { base: 2 | 10; exponent: number; format: QuantityFormat } {
  const decimal = Object.hasOwn(DECIMAL_EXPONENTS, suffix) ? DECIMAL_EXPONENTS[suffix] : undefined;
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: "DecimalSI" };
  const binary = Object.hasOwn(BINARY_EXPONENTS, suffix) ? BINARY_EXPONENTS[suffix] : undefined;
  if (binary !== undefined) return { base: 2, exponent: binary, format: "BinarySI" };
  if (!EXPONENT.test(suffix)) throw new Error(QuantityErrors.suffix);
  const exponent = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, Number(suffix.slice(1))));
  return { base: 10, exponent, format: "DecimalExponent" };
}

/** `digits` times ten to the `power`, rounded up. */
function scaleUp(digits: bigint, power: number): bigint {
  return power >= 0 ? digits * 10n ** BigInt(power) : divideUp(digits, 10n ** BigInt(-power));
}

/** Rounds away from zero. */
function divideUp(amount: bigint, unit: bigint): bigint {
  const quotient = amount / unit;
  if (amount % unit === 0n) return quotient;
  return amount < 0n ? quotient - 1n : quotient + 1n;
}

/** Whole units, rounded up. Above 2^53 the nearest number that JavaScript has. */
export function value(quantity: Quantity): number {
  return Number(divideUp(quantity.nano, NANO));
}

/** Thousandths, rounded up, at most 2^63-1. Above 2^53 the nearest number that JavaScript has. */
export function milliValue(quantity: Quantity): number {
  return Number(cap(divideUp(quantity.nano, MILLI), MAX_UNITS));
}

/** Below, at or above zero as `a` is less than, equal to or greater than `b`; how they were written plays no part. */
export function compare(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nano === b.nano) return 0;
  return a.nano < b.nano ? -1 : 1;
}

/** The sum, written as `a` is; a zero `a` takes the form of `b`, as in Go. Capped as in `parseQuantity`. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: cap(a.nano + b.nano, MAX_NANO), format: a.nano === 0n ? b.format : a.format };
}

function cap(amount: bigint, max: bigint): bigint {
  if (amount > max) return max;
  return amount < -max ? -max : amount;
}

/** A whole number of units. */
export function quantityOf(units: number, format: QuantityFormat = "DecimalSI"): Quantity {
  return { nano: BigInt(Math.trunc(units)) * NANO, format };
}

/** A whole number of thousandths: milli-cores. */
export function quantityOfMilli(milli: number, format: QuantityFormat = "DecimalSI"): Quantity {
  return { nano: BigInt(Math.trunc(milli)) * MILLI, format };
}

/**
 * The canonical text: the greatest suffix that leaves a whole number, no fraction, `0` without a suffix. A binary
 * amount that is below 1024 in magnitude, or not whole, is written as a decimal one.
 */
export function formatQuantity(quantity: Quantity): string {
  const { nano } = quantity;
  if (nano === 0n) return "0";
  if (quantity.format === "BinarySI" && nano % NANO === 0n) {
    const units = nano / NANO;
    if (units <= -1024n || units >= 1024n) return formatBinary(units);
  }
  return formatDecimal(nano, quantity.format === "DecimalExponent");
}

const BINARY_SUFFIXES = ["", ...Object.keys(BINARY_EXPONENTS)];
const DECIMAL_SUFFIXES = Object.keys(DECIMAL_EXPONENTS);

function formatBinary(units: bigint): string {
  let power = 0;
  let mantissa = units;
  for (; mantissa % 1024n === 0n; power++) mantissa /= 1024n;
  return `${mantissa}${BINARY_SUFFIXES[power] ?? ""}`;
}

function formatDecimal(nano: bigint, asExponent: boolean): string {
  let thousands = 0;
  let mantissa = nano;
  for (; mantissa % 1000n === 0n; thousands++) mantissa /= 1000n;
  const exponent = 3 * thousands - 9;
  if (asExponent) return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  return `${mantissa}${DECIMAL_SUFFIXES[thousands] ?? ""}`;
}

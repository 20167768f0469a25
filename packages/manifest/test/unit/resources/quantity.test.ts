import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  addQuantities,
  compare,
  formatQuantity,
  milliValue,
  parseQuantity,
  QuantityErrors,
  quantityOf,
  quantityOfMilli,
  value,
} from "../../../src/resources/quantity.js";

describe("parseQuantity and its values", () => {
  test.each([
    { name: "whole number", text: "3", units: 3, milli: 3000 },
    { name: "thousandths round up to a whole", text: "100m", units: 1, milli: 100 },
    { name: "millionths round up to a thousandth", text: "100500u", units: 1, milli: 101 },
    { name: "billionths", text: "1n", units: 1, milli: 1 },
    { name: "finer than a billionth counts as one", text: "0.0000000001", units: 1, milli: 1 },
    { name: "far finer than a billionth counts as one", text: "1e-999999999999", units: 1, milli: 1 },
    { name: "binary suffix", text: "64Mi", units: 67108864, milli: 67108864000 },
    { name: "binary fraction", text: "1.5Gi", units: 1610612736, milli: 1610612736000 },
    { name: "binary fraction rounds up", text: "0.3Ki", units: 308, milli: 307200 },
    { name: "decimal suffix", text: "1.5G", units: 1.5e9, milli: 1.5e12 },
    { name: "exponent", text: "12e6", units: 12e6, milli: 12e9 },
    { name: "exponent with sign and capital", text: "1E-3", units: 1, milli: 1 },
    { name: "E alone is exa", text: "1E", units: 1e18, milli: Number(2n ** 63n - 1n) },
    { name: "sign", text: "+2", units: 2, milli: 2000 },
    { name: "negative rounds away from zero", text: "-1500m", units: -2, milli: -1500 },
    { name: "leading zeros and bare point", text: "007.", units: 7, milli: 7000 },
    { name: "no digit before the point", text: ".5", units: 1, milli: 500 },
    { name: "cap", text: "9999999Ei", units: Number(2n ** 63n - 1n), milli: Number(2n ** 63n - 1n) },
    {
      name: "cap of an exponent beyond all bounds",
      text: "1e99999999999",
      units: Number(2n ** 63n - 1n),
      milli: Number(2n ** 63n - 1n),
    },
    { name: "zero with an exponent beyond all bounds", text: "0e99999999999", units: 0, milli: 0 },
  ])("$name: $text", ({ text, units, milli }) => {
    const quantity = parseQuantity(text);
    expect({ units: value(quantity), milli: milliValue(quantity) }).toEqual({ units, milli });
  });

  test.each(["", " 1", "1 ", "abc", "1x", "1.2.3", "m", "+", ".", "1Mi1x", "--1", "1,5", "0x10", "1".repeat(257)])(
    "%j is not a quantity",
    (text) => expect(() => parseQuantity(text)).toThrow(QuantityErrors.format),
  );

  test.each(["1ki", "1K", "1Mm", "1mi", "1EE", "1e", "1e+", "1i", "1Ki2"])("%j has an unknown suffix", (text) =>
    expect(() => parseQuantity(text)).toThrow(QuantityErrors.suffix),
  );
});

describe("formatQuantity", () => {
  test.each([
    ["1000m", "1"],
    ["1500m", "1500m"],
    ["0.1", "100m"],
    ["1024Mi", "1Gi"],
    ["1025Mi", "1025Mi"],
    ["1000Ki", "1000Ki"],
    ["0.5Mi", "512Ki"],
    ["1.5Ki", "1536"],
    ["0.5Ki", "512"],
    ["0.0001Ki", "102400u"],
    ["1.0001Ki", "1024102400u"],
    ["100000", "100k"],
    ["1e3", "1e3"],
    ["1e4", "10e3"],
    ["12345e-1", "1234500e-3"],
    ["1e0", "1"],
    ["0Mi", "0"],
    ["-0", "0"],
    ["-1024Ki", "-1Mi"],
    ["1e20", "9223372036854775807"],
    ["8Ei", "9223372036854775807"],
    ["100500u", "100500u"],
  ])("%s is printed as %s", (text, canonical) => expect(formatQuantity(parseQuantity(text))).toBe(canonical));
});

const texts = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.nat({ max: 999_999 }),
    fc.option(fc.nat({ max: 99_999 }), { nil: undefined }),
    fc.constantFrom("", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "Ti", "e3", "E-2", "e9"),
  )
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === undefined ? "" : `.${fraction}`}${suffix}`);

describe("for every quantity", () => {
  test("its canonical text reads back as the same amount and is canonical itself", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = formatQuantity(parseQuantity(text));
        expect(compare(parseQuantity(once), parseQuantity(text))).toBe(0);
        expect(formatQuantity(parseQuantity(once))).toBe(once);
      }),
    );
  });

  test("whole and milli values never fall below the amount nor exceed it by a unit (away from zero)", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const quantity = parseQuantity(text);
        const sign = quantity.nano < 0n ? -1n : 1n;
        for (const [rounded, unit] of [
          [value(quantity), 1_000_000_000n],
          [milliValue(quantity), 1_000_000n],
        ] as const) {
          // Beyond this JavaScript has no whole numbers to compare with.
          fc.pre(Number.isSafeInteger(rounded));
          const excess = BigInt(rounded) * unit * sign - quantity.nano * sign;
          expect(excess >= 0n && excess < unit).toBe(true);
        }
      }),
    );
  });

  test("order follows the amount and addition is exact", () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const [x, y] = [parseQuantity(a), parseQuantity(b)];
        expect(compare(x, y)).toBe(-compare(y, x) + 0);
        expect(addQuantities(x, y).nano).toBe(x.nano + y.nano);
      }),
    );
  });

  test("numbers made into quantities come back", () => {
    fc.assert(
      fc.property(fc.nat(), (n) => {
        expect(value(quantityOf(n, "BinarySI"))).toBe(n);
        expect(milliValue(quantityOfMilli(n))).toBe(n);
      }),
    );
  });

  test("any text is read or refused with one of two messages", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+0-9.eEinumkKMGTP]{0,12}$/)), (text) => {
        try {
          parseQuantity(text);
        } catch (error) {
          expect([QuantityErrors.format, QuantityErrors.suffix]).toContain((error as Error).message);
        }
      }),
    );
  });
});

describe("sums", () => {
  const sum = (a: string, b: string) => formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)));
  test.each([
    ["1Gi", "1G", "2073741824", "are written as the first one is"],
    ["1G", "24M", "1024M", "are written as the first one is, decimal as well"],
    ["0", "1Gi", "1Gi", "of nothing and something are written as that"],
    ["0Mi", "1G", "1G", "of a binary nothing and something are written as that"],
    ["1Gi", "0", "1Gi", "of something and nothing are written as that"],
    ["8Ei", "8Ei", "9223372036854775807", "stop at what 64 bits hold"],
    ["-8Ei", "-8Ei", "-9223372036854775807", "stop at what 64 bits hold below zero, too"],
    ["1", "-3", "-2", "may be below zero"],
  ])("%s + %s = %s: they %s", (a, b, expected) => expect(sum(a, b)).toBe(expected));
});

describe("how an amount was written", () => {
  test.each([
    ["1Ki", "BinarySI"],
    ["1.5Ki", "BinarySI"],
    ["0Ki", "BinarySI"],
    ["0.0005Ki", "DecimalSI"],
    ["1k", "DecimalSI"],
    ["100m", "DecimalSI"],
    ["1e3", "DecimalExponent"],
    ["1E-3", "DecimalExponent"],
  ])("%s is %s", (text, format) => expect(parseQuantity(text).format).toBe(format));

  test.each([
    ["-2Ki", "-2Ki"],
    ["-1023", "-1023"],
    ["1023Ki", "1023Ki"],
    ["1048576Ki", "1Gi"],
    ["1Ei", "1Ei"],
    ["1000n", "1u"],
    ["-1500m", "-1500m"],
    ["1e-9", "1e-9"],
    ["5E18", "5e18"],
  ])("%s is printed as %s", (text, canonical) => expect(formatQuantity(parseQuantity(text))).toBe(canonical));

  test("a whole number of units or thousandths has the format that was asked for, decimal by default", () => {
    expect(formatQuantity(quantityOf(2048, "BinarySI"))).toBe("2Ki");
    expect(formatQuantity(quantityOf(1023, "BinarySI"))).toBe("1023");
    expect(formatQuantity(quantityOf(1000, "BinarySI"))).toBe("1k");
    expect(formatQuantity(quantityOf(1024, "BinarySI"))).toBe("1Ki");
    expect(formatQuantity(quantityOf(-1024, "BinarySI"))).toBe("-1Ki");
    expect([quantityOf(1), quantityOfMilli(1)].map(({ format }) => format)).toEqual(["DecimalSI", "DecimalSI"]);
    expect(formatQuantity(quantityOf(1.9))).toBe("1");
    expect(formatQuantity(quantityOfMilli(1.9))).toBe("1m");
  });
});

test("256 characters are read, and one more is not", () => {
  expect(value(parseQuantity("1".padStart(256, "0")))).toBe(1);
  expect(() => parseQuantity("1".padStart(257, "0"))).toThrow(QuantityErrors.format);
});

test("thousandths of what 64 bits hold stop there, below zero as well", () => {
  expect(milliValue(parseQuantity("8Ei"))).toBe(Number(2n ** 63n - 1n));
  expect(milliValue(parseQuantity("-8Ei"))).toBe(-Number(2n ** 63n - 1n));
});

test("amounts are compared however they are written", () => {
  const order = (a: string, b: string) => compare(parseQuantity(a), parseQuantity(b));
  expect([order("1Ki", "1024"), order("1k", "1Ki"), order("1", "1n")]).toEqual([0, -1, 1]);
});

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { criRecords, rfc3339Nano } from "../../../src/output/records.js";
import { contentOf } from "../../log-content.js";

const TIME = "2026-01-02T03:04:05.000000006Z";

describe("criRecords", () => {
  test.each([
    ["a line", "hello\n", false, `${TIME} stdout F hello\n`, 6],
    ["an empty line", "\n", false, `${TIME} stdout F \n`, 1],
    ["a line that has not ended waits", "one\ntw", false, `${TIME} stdout F one\n`, 4],
    ["a last line without an end is a part", "one\ntw", true, `${TIME} stdout F one\n${TIME} stdout P tw\n`, 6],
    ["nothing", "", true, "", 0],
  ])("%s", (_name, output, atEnd, records, consumed) => {
    const reported = criRecords(Buffer.from(output), TIME, atEnd);
    expect({ records: reported.bytes.toString(), consumed: reported.consumed }).toEqual({ records, consumed });
  });

  test("a line above 16 KiB is written in parts, before its end is known", () => {
    const { bytes, consumed } = criRecords(Buffer.alloc(40_000, "x"), TIME, false);
    expect(consumed).toBe(2 * 16_384);
    expect(bytes.toString().split("\n").slice(0, -1)).toEqual(
      Array.from({ length: 2 }, () => `${TIME} stdout P ${"x".repeat(16_384)}`),
    );
  });

  test("a line of exactly 16 KiB is whole", () => {
    const { bytes } = criRecords(Buffer.from(`${"x".repeat(16_384)}\n`), TIME, false);
    expect(bytes.toString()).toBe(`${TIME} stdout F ${"x".repeat(16_384)}\n`);
  });

  test("taken in any chunks, the records hold every byte once", () => {
    const output = fc.array(fc.constantFrom("a", "b\n", "\n", "x".repeat(20_000), "\0", "ü"), { maxLength: 30 });
    fc.assert(
      fc.property(
        output,
        fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 8 }),
        (words, sizes) => {
          const bytes = Buffer.from(words.join(""));
          const logs: Buffer[] = [];
          let [taken, seen] = [0, 0];
          for (let turn = 0; seen < bytes.length; turn++) {
            seen = Math.min(bytes.length, seen + (sizes[turn % sizes.length] ?? 1));
            const reported = criRecords(bytes.subarray(taken, seen), TIME, seen === bytes.length);
            logs.push(reported.bytes);
            taken += reported.consumed;
          }
          expect(taken).toBe(bytes.length);
          expect(contentOf(Buffer.concat(logs).toString())).toBe(bytes.toString());
        },
      ),
    );
  });
});

test.each([
  [0n, "1970-01-01T00:00:00.000000000Z"],
  [1_767_323_045_000_000_006n, "2026-01-02T03:04:05.000000006Z"],
  [1_767_323_045_999_999_999n, "2026-01-02T03:04:05.999999999Z"],
])("%s ns is %s", (nanoseconds, text) => {
  expect(rfc3339Nano(nanoseconds)).toBe(text);
});

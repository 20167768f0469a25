import { describe, expect, test } from "@jest/globals";
import { numberAfter, parsePressure } from "../../src/stats/parse.js";

const stat = "total_inactive_file_x 7\ninactive_file 1\ntotal_inactive_file 4096\nlast 9";

test.each([
  { name: "a key in the middle", key: "total_inactive_file", value: 4096 },
  { name: "a key that ends another one", key: "inactive_file", value: 1 },
  { name: "the first line", key: "total_inactive_file_x", value: 7 },
  { name: "the last line, without a line break", key: "last", value: 9 },
  { name: "a key that is not there", key: "missing", value: undefined },
  { name: "a key that begins another one", key: "total", value: undefined },
])("$name", ({ key, value }) => {
  expect(numberAfter(stat, key)).toBe(value);
});

describe("pressure", () => {
  test("both lines", () => {
    const text = "some avg10=1.50 avg60=0.20 avg300=0.03 total=123\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=45\n";
    expect(parsePressure(text)).toEqual({
      some: { avg10: 1.5, avg60: 0.2, avg300: 0.03, total: 123 },
      full: { avg10: 0.5, avg60: 0, avg300: 0, total: 45 },
    });
  });

  test("cpu on older kernels has no full line", () => {
    expect(parsePressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")?.full).toBeUndefined();
  });

  test("none where PSI is switched off", () => {
    expect(parsePressure("")).toBeUndefined();
  });
});

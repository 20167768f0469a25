import { expect, test } from "@jest/globals";
import { customCells, parseColumns } from "../../../src/print/output-format.js";

const object = { a: { b: 1 }, list: ["x", "y"], "c,d": 2, t: "10:30" };

test.each([
  ["A:.a.b", ["A"], ["1"]],
  ["A:a.b", ["A"], ["1"]],
  ["A:{.a.b}", ["A"], ["1"]],
  ["A:@.a", ["A"], ['{"b":1}']],
  ["A:['a']", ["A"], ['{"b":1}']],
  [" A : .a.b , L : .list[0,1] ", ["A", "L"], ["1", "x,y"]],
  ["N:.nothing,L:.list[*]", ["N", "L"], ["<none>", "x,y"]],
  ["A B:.t", ["A B"], ["10:30"]],
])("%s", (spec, heads, cells) => {
  const columns = parseColumns(spec);
  expect(columns.map(({ head }) => head)).toEqual(heads);
  expect(customCells(columns, object)).toEqual(cells);
});

test.each(["A", ":.a", "", "A:.a,B"])("%j is refused", (spec) => {
  expect(() => parseColumns(spec)).toThrow(
    `custom-columns: expected HEAD:PATH, with commas between the columns, found ${JSON.stringify(spec)}`,
  );
});

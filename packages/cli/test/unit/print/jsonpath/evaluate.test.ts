import { expect, test } from "@jest/globals";
import { valuesOf, valueText } from "../../../../src/print/jsonpath/evaluate.js";
import { parsePath } from "../../../../src/print/jsonpath/parse.js";

const object = {
  list: [1, 2, 3, 4],
  words: ["a", "b"],
  none: null,
  empty: [],
  deep: { a: { b: [{ c: 1 }] } },
  items: [{ n: 1, s: "a", t: [1, 2] }, { n: 2, s: "b" }, { s: "c" }],
};
const values = (path: string): readonly unknown[] =>
  valuesOf(
    parsePath(path, (expected) => new Error(expected)),
    object,
  );

test.each<[string, readonly unknown[]]>([
  ["@.words", [["a", "b"]]],
  [".nothing", []],
  [".none", [null]],
  [".toString", []],
  [".words.a", []],
  [".words.*", ["a", "b"]],
  [".deep.*", [{ b: [{ c: 1 }] }]],
  [".list[0].*", []],
  [".deep..c", [1]],
  [".deep..", [object.deep, object.deep.a, object.deep.a.b, { c: 1 }]],
  [".empty..", []],
  [".list[3]", [4]],
  [".list[-4]", [1]],
  [".none[0]", []],
  [".none[*]", []],
  [".none[0:1]", []],
  [".list[1:3]", [2, 3]],
  [".list[-2:]", [3, 4]],
  [".list[:-1]", [1, 2, 3]],
  [".list[1::2]", [2, 4]],
  [".list[0,2]", [1, 3]],
  [".items[?(@.n)].s", ["a", "b"]],
  [".items[?(@.n==1)].s", ["a"]],
  [".items[?(@.n!=1)].s", ["b"]],
  [".items[?(@.n<2)].s", ["a"]],
  [".items[?(@.n<=1)].s", ["a"]],
  [".items[?(@.n<=2)].s", ["a", "b"]],
  [".items[?(@.n>1)].s", ["b"]],
  [".items[?(@.n>2)].s", []],
  [".items[?(@.n>=2)].s", ["b"]],
  ['.items[?(@.s>"b")].s', ["c"]],
  [".items[?(1<@.n)].s", ["b"]],
])("%s", (path, expected) => expect(values(path)).toEqual(expected));

test.each([
  [".list[4]", "jsonpath: expected an index below the length 4, found 4"],
  [".list[-5]", "jsonpath: expected an index below the length 4, found -5"],
  [".empty[0]", "jsonpath: expected an index below the length 0, found 0"],
  [".deep[0]", /^jsonpath: expected a list where the template has brackets, found /],
  [".items[?(@.t[*]==1)]", /^jsonpath: expected one value on each side of a filter, found /],
  [".items[?(@.n=='1')]", /^jsonpath: expected two values of one type around ==, found /],
])("%s is refused", (path, message) => expect(() => values(path)).toThrow(message));

test.each([
  ["a", "a"],
  [1, "1"],
  [true, "true"],
  [null, "null"],
  [{ a: [1] }, '{"a":[1]}'],
])("the value %j is written %s", (value, text) => expect(valueText(value)).toBe(text));

import { expect, test } from "@jest/globals";
import { type Path, parsePath } from "../../../../src/print/jsonpath/parse.js";

const parse = (text: string): Path => parsePath(text, (expected) => new Error(expected));
const field = (name: string) => ({ kind: "field", name });
const literal = (value: unknown) => ({ kind: "literal", value });

test.each<[string, readonly object[]]>([
  ["", []],
  [" @ $ ", []],
  [".a.b", [field("a"), field("b")]],
  [".", []],
  [".a\\.b", [field("a.b")]],
  [".*", [{ kind: "every" }]],
  ["..a", [{ kind: "descend" }, field("a")]],
  ["..", [{ kind: "descend" }]],
  ["..[0]", [{ kind: "descend" }, { kind: "index", at: 0 }]],
  ["..*", [{ kind: "descend" }, { kind: "every" }]],
  [".a..b", [field("a"), { kind: "descend" }, field("b")]],
  ["'a b'", [literal("a b")]],
  ['"a\\n\\t\\r\\\\\\"\\\'\\x"', [literal("a\n\t\r\\\"'\\x")]],
  ["-1.5", [literal(-1.5)]],
  ["+2", [literal(2)]],
  ["true", [literal(true)]],
  ["false", [literal(false)]],
  ["[-2]", [{ kind: "index", at: -2 }]],
  ["[*]", [{ kind: "slice", from: undefined, to: undefined, by: 1 }]],
  ["[1:3]", [{ kind: "slice", from: 1, to: 3, by: 1 }]],
  ["[:-1]", [{ kind: "slice", from: undefined, to: -1, by: 1 }]],
  ["[-3:]", [{ kind: "slice", from: -3, to: undefined, by: 1 }]],
  ["[0:9:2]", [{ kind: "slice", from: 0, to: 9, by: 2 }]],
  ["[::]", [{ kind: "slice", from: undefined, to: undefined, by: 1 }]],
  ["['a']", [field("a")]],
  ['["a.b"]', [field("a"), field("b")]],
  ["[ 'a' , 0 ]", [{ kind: "union", paths: [[field("a")], [{ kind: "index", at: 0 }]] }]],
  ["[?(@.a)]", [{ kind: "exists", path: [field("a")] }]],
  ...["==", "!=", "<", "<=", ">", ">="].map((operator): [string, readonly object[]] => [
    `[?( @.a ${operator} 1 )]`,
    [{ kind: "compare", left: [field("a")], operator, right: [literal(1)] }],
  ]),
  ["[?(@[\"b\"]=='x]')]", [{ kind: "compare", left: [field("b")], operator: "==", right: [literal("x]")] }]],
])("%s", (text, expected) => {
  expect(parse(text)).toEqual(expected);
});

test.each([
  ["....", "no more than one .. in a row"],
  ["a", "a path such as .metadata.name; unrecognized identifier a"],
  ["%", "a path such as .metadata.name; unrecognized identifier %"],
  ["trueish", "a path such as .metadata.name; unrecognized identifier trueish"],
  ["'a", "a closing '"],
  ["'a\\'", "a closing '"],
  ["[0", "a ] for each ["],
  ["[?(@[0)]", "a ] for each ["],
  ["[::0]", "a step of 1 or more in a slice"],
  ["[a]", "an index, a slice, a 'key' or a ?(filter) in brackets; a is none"],
  ["[1.5]", "an index, a slice, a 'key' or a ?(filter) in brackets; 1.5 is none"],
  ["[?(@.a=1)]", "one of == != <= >= < > in a filter; = is none"],
])("%s is refused: %s", (text, expected) => {
  expect(() => parse(text)).toThrow(new Error(expected));
});

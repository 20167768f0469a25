import { expect, test } from "@jest/globals";
import { outputFormat } from "../../../src/print/output-format.js";

const known = "wide, name, json, yaml, jsonpath, custom-columns";
const path = [{ kind: "field", name: "a" }];

test.each([
  [undefined, { kind: "table", wide: false }],
  ["", { kind: "table", wide: false }],
  ["wide", { kind: "table", wide: true }],
  ["json", { kind: "json" }],
  ["yaml", { kind: "yaml" }],
  ["name", { kind: "name" }],
  ["jsonpath={.a}", { kind: "jsonpath", blocks: [{ kind: "values", path }] }],
  ["jsonpath=a=b", { kind: "jsonpath", blocks: [{ kind: "text", text: "a=b" }] }],
  ["custom-columns=A:.a", { kind: "custom-columns", columns: [{ head: "A", path }] }],
])("-o %s", (text, expected) => expect(outputFormat(text)).toEqual(expected));

test.each([
  ["jsonpath", "--output: expected a template, for example jsonpath={.metadata.name}, found nothing."],
  ["jsonpath=", "--output: expected a template, for example jsonpath={.metadata.name}, found nothing."],
  ["custom-columns", "--output: expected a template, for example custom-columns=NAME:.metadata.name, found nothing."],
  ["custom-columns=A", 'custom-columns: expected HEAD:PATH, with commas between the columns, found "A".'],
  ["jsn", `--output: expected one of ${known}, found "jsn". Did you mean "json"?`],
  ["yml", `--output: expected one of ${known}, found "yml". Did you mean "yaml"?`],
  ["table", `--output: expected one of ${known}, found "table". Did you mean "wide"?`],
  ["go-template={{.a}}", `--output: expected one of ${known}, found "go-template={{.a}}". Did you mean "jsonpath"?`],
  ["json=x", `--output: expected one of ${known}, found "json=x". Did you mean "json"?`],
  ["=x", `--output: expected one of ${known}, found "=x".`],
  ["zzzzzz", `--output: expected one of ${known}, found "zzzzzz".`],
])("-o %s is refused", (text, message) => expect(() => outputFormat(text)).toThrow(new Error(message)));

import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { rcSchemaWith } from "../../../../core/src/config/schema.js";
import { sourcePlugins } from "../../../../hooklet/src/default-plugins.js";
import { rcJsonSchema, rcOptionTable, withGenerated } from "../../../src/option-table.js";

const read = (path: string) => readFileSync(new URL(`../../../../../docs/reference/${path}`, import.meta.url), "utf8");
const renew = "build, then run: node scripts/generate-docs.mjs";

test("the option table of docs/reference/rc-file.md is current", () => {
  const page = read("rc-file.md");
  expect({ renew, page }).toEqual({ renew, page: withGenerated(page, "options", rcOptionTable(sourcePlugins)) });
});

test("the JSON schema of the rc file is current", () => {
  expect({
    renew,
    schema: JSON.parse(readFileSync(new URL("../../../../hooklet/hookletrc.schema.json", import.meta.url), "utf8")),
  }).toEqual({ renew, schema: rcJsonSchema(sourcePlugins) });
});

test("every option has a description", () => {
  const undescribed = rcOptionTable(sourcePlugins)
    .split("\n")
    .slice(2)
    .filter((line) => / \|\s+\|$/.test(line));
  expect(undescribed).toEqual([]);
});

test("the YAML examples of the page are what the schema takes", () => {
  const examples = [...read("rc-file.md").matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => parse(text ?? ""));
  expect(examples.length).toBeGreaterThan(2);
  for (const example of examples) expect(rcSchemaWith(sourcePlugins).safeParse(example).error).toBeUndefined();
});

test("a page without markers is an error", () => {
  expect(() => withGenerated("text", "options", "x")).toThrow(/no markers/);
});

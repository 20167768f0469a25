import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../../../../../test/sources.js";
import { scenarioJsonSchema } from "../../../src/scenario/schema.js";

/** Of draft 2020-12. */
const STANDARD: ReadonlySet<string | undefined> = new Set([
  ...["date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"],
  ...["uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template"],
  ...["json-pointer", "relative-json-pointer", "regex"],
]);

test("the published JSON Schema is that of the code (pnpm run docs writes it)", () => {
  const published = readFileSync(path.join(root, "packages/simulate/scenario.schema.json"), "utf8");
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(scenarioJsonSchema())));
});

test("its formats are those of JSON Schema: a validator that is strict refuses a schema with any other", () => {
  const formats = [...JSON.stringify(scenarioJsonSchema()).matchAll(/"format":"([^"]*)"/g)].map(([, format]) => format);
  expect(formats.filter((format) => !STANDARD.has(format))).toEqual([]);
});

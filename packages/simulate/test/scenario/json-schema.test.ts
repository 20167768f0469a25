import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../../../../test/sources.js";
import { scenarioJsonSchema } from "../../src/scenario/schema.js";

test("the published JSON Schema is that of the code (pnpm run docs writes it)", () => {
  const published = readFileSync(path.join(root, "packages/simulate/scenario.schema.json"), "utf8");
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(scenarioJsonSchema())));
});

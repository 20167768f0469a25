import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { rcSchema } from "../../../../core/src/config/schema.js";
import { faultText, pathText } from "../../../src/faults/faults.js";
import { objectShape, parseWith } from "../../../src/faults/schema-faults.js";

const optionNames = Object.entries(objectShape(rcSchema) ?? {}).flatMap(([key, schema]) => [
  key,
  ...Object.keys(objectShape(schema) ?? {}),
]);
const key = fc.oneof(fc.constantFrom(...optionNames, "__proto__", "constructor"), fc.string());
const leaf = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom("10%", "1Gi", "20s", "-1", "", "./x", "process", "NoSchedule"),
);
const rc = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf)))));

test("any rc file is accepted, or its faults are reported in hooklet's format", () => {
  fc.assert(
    fc.property(rc, (value) => {
      const parsed = parseWith(rcSchema, value);
      if (parsed.faults === undefined) return;
      expect(parsed.faults.length).toBeGreaterThan(0);
      for (const fault of parsed.faults) {
        const text = faultText({ ...fault, file: "rc", path: pathText(fault.path) });
        expect(text).not.toMatch(/expected (Invalid|Too |Unrecognized|another value|undefined)/);
      }
    }),
    { numRuns: 500 },
  );
});

test.each([
  { name: "a text too long", schema: z.string().max(2), value: "abc", expected: "at most 2 characters" },
  { name: "an empty list", schema: z.array(z.string()).min(1), value: [], expected: "at least 1 entries" },
  {
    name: "one of several kinds",
    schema: z.union([z.string(), z.number()]),
    value: true,
    expected: "a text or a number",
  },
  { name: "a format", schema: z.email(), value: "x", expected: "a text in the format email" },
  { name: "a multiple", schema: z.number().multipleOf(2), value: 3, expected: "a multiple of 2" },
  { name: "a whole number", schema: z.int(), value: 1.5, expected: "a whole number" },
  { name: "the schema's own words", schema: z.string({ error: "a colour" }), value: 1, expected: "a colour" },
])("expected: $name", ({ schema, value, expected }) => {
  const parsed = parseWith<unknown>(z.object({ option: schema }), { option: value });
  expect(parsed.faults).toMatchObject([{ path: ["option"], expected }]);
});

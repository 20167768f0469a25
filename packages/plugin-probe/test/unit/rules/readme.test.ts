import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { options } from "../../../src/options.js";
import { schedules } from "../../../src/schedules.js";

interface Property {
  readonly default?: unknown;
  readonly description?: string;
}

const printed = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

test("the README's table of options is what the plugin takes", () => {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const zod = typeof options === "function" ? options(z) : options;
  const schema = z.toJSONSchema(zod) as { properties: Record<string, Property> };
  const parsed = zod.parse({}) as unknown as Record<string, unknown>;
  const strategies = Object.entries(schedules).map(([name, { description }]) => `\`${name}\` (${description})`);
  const rows = [
    `| \`schedule\` | \`kubelet\` | When probes are made: ${strategies.join(", ")}. |`,
    ...Object.entries(schema.properties).map(
      ([name, { description }]) => `| \`${name}\` | \`${printed(parsed[name])}\` | ${description} |`,
    ),
  ];
  expect(readme.split("\n").filter((line) => /^\| `/.test(line))).toEqual(rows);
});

import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { orderStrategies } from "../../src/internal.js";
import { options } from "../../src/options.js";

interface Property {
  readonly default?: unknown;
  readonly description?: string;
}

const printed = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

test("the README's table of options is what the plugin takes", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const zod = typeof options === "function" ? options(z) : options;
  const schema = z.toJSONSchema(zod, { io: "input", unrepresentable: "any" }) as {
    properties: Record<string, Property>;
  };
  const names = Object.keys(orderStrategies).map((name) => `\`${name}\``);
  const rows = [
    ...Object.entries(schema.properties).map(
      ([name, { default: standard, description }]) => `| \`${name}\` | \`${printed(standard)}\` | ${description} |`,
    ),
    `| \`order\` | \`lru\` | Which images go first: ${names.join(", ")}, or \`{use: FILE or PACKAGE, options}\`. |`,
  ];
  expect(readme.split("\n").filter((line) => /^\| `/.test(line))).toEqual(rows);
});

import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { options } from "../../../src/options.js";
import { allocationStrategies } from "../../../src/strategies/built-in.js";

interface Property {
  readonly description?: string;
}

const printed = (value: unknown): string => (value === undefined ? "" : `\`${String(value)}\``);

test("the README's table of options is what the plugin takes", () => {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const zod = typeof options === "function" ? options(z) : options;
  const schema = z.toJSONSchema(zod, { io: "input" }) as { properties: Record<string, Property> };
  const parsed = { ...(zod.parse({}) as unknown as Record<string, unknown>), waitForPlugins: "30s" };
  const strategies = Object.entries(allocationStrategies).map(
    ([name, { description }]) => `\`${name}\` (${description})`,
  );
  const rows = [
    `| \`allocation\` | \`kubelet\` | Which devices a container gets: ${strategies.join("; ")}. |`,
    ...Object.entries(schema.properties).map(
      ([name, { description }]) =>
        `| \`${name}\` | ${printed((parsed as Record<string, unknown>)[name])} | ${description} |`,
    ),
  ];
  const table = readme.slice(readme.indexOf("## Options"), readme.indexOf("## Which devices"));
  expect(table.split("\n").filter((line) => /^\| `/.test(line))).toEqual(rows);
});

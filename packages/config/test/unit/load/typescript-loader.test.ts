import { writeFileSync } from "node:fs";
import type { LoadHook } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, jest, test } from "@jest/globals";
import { load } from "../../../src/load/typescript-loader.js";
import { makeFolder } from "../../fixture.js";

const context = { conditions: [], importAttributes: {} } as unknown as Parameters<LoadHook>[1];
const passed = { format: "module", source: "passed on" } as const;
const next = jest.fn<Parameters<LoadHook>[2]>(async () => passed);

test("types are stripped from a TypeScript file", async () => {
  const file = join(makeFolder(), "rc.ts");
  writeFileSync(file, "interface A { b: number }\nexport default { port: 1 as number } satisfies object;\n");
  const loaded = await load(pathToFileURL(file).href, context, next);
  expect(loaded).toMatchObject({ format: "module", shortCircuit: true });
  const source = String(loaded.source);
  expect(source).not.toMatch(/interface|satisfies|as number/);
  expect(source).toMatch(/export default \{ port: 1\s+\}/);
});

test("a syntax error is reported, not hidden", async () => {
  const file = join(makeFolder(), "rc.ts");
  writeFileSync(file, "export default {{");
  await expect(load(pathToFileURL(file).href, context, next)).rejects.toBeDefined();
});

test.each(["file:///x/rc.mjs", "node:fs", "data:text/javascript,export default 1"])(
  "%s is left to Node",
  async (url) => {
    expect(await load(url, context, next)).toBe(passed);
  },
);

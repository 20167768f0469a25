import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import * as all from "../src/index.js";
import * as simulation from "../src/simulation.js";

const source = join(process.cwd(), "packages/testkit/src");

/** All that a file imports, and what that imports, as paths and package names. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(/^(?:import|export)[^;]*? from "([^"]+)";/gms)) {
    const target = specifier.startsWith(".") ? join(file, "..", specifier.replace(/\.js$/, ".ts")) : specifier;
    if (seen.has(target)) continue;
    seen.add(target);
    if (specifier.startsWith(".")) importsOf(target, seen);
  }
  return seen;
}

test("the simulation entry never reaches jest, so that the binary can load it", () => {
  expect([...importsOf(join(source, "index.ts"))]).toContain("@jest/globals");
  const imports = [...importsOf(join(source, "simulation.ts"))];
  expect(imports).toContain("@hooklet/core");
  expect(imports).not.toContain("@jest/globals");
});

test("the main entry has all that the simulation entry has", () => {
  expect(Object.keys(all)).toEqual(expect.arrayContaining(Object.keys(simulation)));
});

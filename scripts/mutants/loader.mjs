// What jest does with our tests, for Node's own module loader: TypeScript by swc, `.js` means `.ts`, @jest/globals is a bridge to mocha.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "@swc/core";

const BRIDGE = new URL("./jest-globals.mjs", import.meta.url).href;

export async function resolve(specifier, context, next) {
  if (specifier === "@jest/globals") return { url: BRIDGE, format: "module", shortCircuit: true };
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith(".ts")) {
    const source = new URL(specifier.replace(/\.js$/, ".ts"), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: "module", shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return next(url, context);
  const source = await readFile(new URL(url), "utf8");
  // A rule for any input is put to each of thousands of mutants: fewer inputs will do.
  const { code } = await transform(source.replaceAll(/\bnumRuns: [\d_]+/g, "numRuns: 25"), {
    filename: fileURLToPath(url),
    swcrc: false,
    jsc: { target: "es2022", parser: { syntax: "typescript" } },
    module: { type: "es6" },
  });
  return { format: "module", source: code, shortCircuit: true };
}

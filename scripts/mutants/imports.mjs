// Which tests load a source file, the nearest first.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const IMPORT = /\b(?:from|import)\s*\(?\s*"((?:\.|@hooklet\/)[^"]+)"/g;
const LEFT_OUT = new Set(["node_modules", "dist"]);

/** A function that gives the test files whose imports lead to a file, those of the file's own package and of the fewest steps first. */
export function testsThatLoad(root, folders) {
  const importers = new Map();
  for (const file of folders.flatMap((folder) => filesBelow(path.join(root, folder))))
    for (const [, name] of readFileSync(file, "utf8").matchAll(IMPORT)) {
      const target = targetOf(root, file, name);
      if (target !== undefined) importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  return (source) => {
    const steps = new Map([[source, 0]]);
    // A map goes on to what is added while it is walked.
    for (const [file, count] of steps)
      for (const importer of importers.get(file) ?? []) if (!steps.has(importer)) steps.set(importer, count + 1);
    const own = path.join(root, ...path.relative(root, source).split(path.sep).slice(0, 2), "test/");
    return [...steps]
      .filter(([file]) => file.endsWith(".test.ts"))
      .map(([file, count]) => ({ file, order: count + (file.startsWith(own) ? 0 : 1_000) }))
      .sort((a, b) => a.order - b.order)
      .map(({ file }) => file);
  };
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : filesBelow(file);
    return file.endsWith(".ts") ? [file] : [];
  });
}

function targetOf(root, from, name) {
  if (name.startsWith(".")) {
    const file = path.join(path.dirname(from), name).replace(/\.js$/, ".ts");
    return existsSync(file) ? file : undefined;
  }
  const [, short, entry] = /^@hooklet\/([^/]+)(\/.+)?$/.exec(name) ?? [];
  const folder = path.join(root, "packages", short);
  if (!existsSync(folder)) return undefined;
  const { exports } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const source = exports?.[`.${entry ?? ""}`]?.["hooklet-source"];
  return source && path.join(folder, source);
}

// A copy of the project's sources and tests in which Stryker may write: packages find each other there, and their libraries here.
import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const PARTS = ["package.json", "packages", "conformance", "test", "examples", "docs", "scripts", "node_modules"];
const LEFT_OUT = new Set(["dist", ".pnpm", ".cache", ".bin"]);

export function copyOf(root) {
  const folder = mkdtempSync(path.join(tmpdir(), "hooklet-mutants-"));
  for (const part of PARTS) {
    cpSync(path.join(root, part), path.join(folder, part), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (from) => !LEFT_OUT.has(path.basename(from)) && !isLibrary(root, from),
    });
  }
  symlinkSync(path.join(root, "node_modules/.pnpm"), path.join(folder, "node_modules/.pnpm"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Links of node_modules are copied as they are; a folder with files is not. */
function isLibrary(root, from) {
  const inside = path.relative(path.join(root, "node_modules"), from);
  if (inside === "" || inside.startsWith("..")) return false;
  return lstatSync(from).isDirectory() && !path.basename(from).startsWith("@") && readdirSync(from).length > 0;
}

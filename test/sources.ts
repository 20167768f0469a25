/** The repository's own source files, for tests that hold its rules. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

export interface SourceFile {
  /** Relative to the repository's root, with slashes. */
  readonly path: string;
  /** Folder under packages/. */
  readonly package: string;
  readonly text: string;
}

/** Every .ts file below packages/<each>/src. */
export function packageSources(): readonly SourceFile[] {
  const packages = path.join(root, "packages");
  return readdirSync(packages).flatMap((name) =>
    walk(path.join(packages, name, "src")).map((file) => ({
      path: path.relative(root, file),
      package: name,
      text: readFileSync(file, "utf8"),
    })),
  );
}

function walk(directory: string): readonly string[] {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) return walk(file);
    return file.endsWith(".ts") ? [file] : [];
  });
}

/** Module specifiers of all static and dynamic imports and re-exports. */
export function importsOf(text: string): readonly string[] {
  const statics = [...text.matchAll(/^\s*(?:import|export)\b[^"';]*?\bfrom\s+["']([^"']+)["']/gms)];
  const bare = [...text.matchAll(/^\s*import\s+["']([^"']+)["']/gm)];
  const dynamics = [...text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g)];
  return [...statics, ...bare, ...dynamics].map((match) => match[1] as string);
}

/** The text without comments and without what strings say. */
export function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/.*$/gm, "$1");
}

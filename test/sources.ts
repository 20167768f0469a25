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

const NOT_OURS = new Set(["node_modules", "dist"]);

/** Every .ts file below packages/<each>/src. */
export function packageSources(): readonly SourceFile[] {
  const packages = path.join(root, "packages");
  return readdirSync(packages).flatMap((name) =>
    codeFiles(path.join(packages, name, "src")).map((file) => ({
      path: path.relative(root, file),
      package: name,
      text: readFileSync(file, "utf8"),
    })),
  );
}

/** Files of code of a folder and those below it, as absolute paths; none where there is no such folder. */
export function codeFiles(directory: string, pattern = /\.ts$/): readonly string[] {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : codeFiles(file, pattern);
    return pattern.test(file) ? [file] : [];
  });
}

/** Module specifiers of all static and dynamic imports and re-exports. */
export function importsOf(text: string): readonly string[] {
  const statics = [...text.matchAll(/^\s*(?:import|export)\b[^"';]*?\bfrom\s+["']([^"']+)["']/gms)];
  const bare = [...text.matchAll(/^\s*import\s+["']([^"']+)["']/gm)];
  const dynamics = [...text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g)];
  return [...statics, ...bare, ...dynamics].map((match) => match[1] as string);
}

/** Module specifiers that are loaded with the file: no dynamic imports, and none of types alone. */
export function staticImportsOf(text: string): readonly string[] {
  const named = [...text.matchAll(/^(?:import|export)\b(?!\s+type\b)([^"';]*?)\bfrom\s+["']([^"']+)["']/gm)]
    .filter(([, names = ""]) => !/^\s*\{(?:\s*type\s[^,}]*,?)+\s*\}\s*$/.test(names))
    .map(([, , specifier]) => specifier as string);
  return [...named, ...[...text.matchAll(/^import\s+["']([^"']+)["']/gm)].map((match) => match[1] as string)];
}

/** The text without comments and without what strings say. */
export function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/.*$/gm, "$1");
}

/** Files of one package that import each other in a circle, types too; each circle as a sorted list of paths. */
export function importCircles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  return circles(new Map(files.map((file) => [file.path, ownImports(file)])));
}

/** Folders directly below `src` of one package that import each other in a circle, types too. */
export function roomCircles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const roomOf = (file: string): string | undefined => /^packages\/[^/]+\/src\/([^/]+)\//.exec(file)?.[1];
  const rooms = new Map<string, string[]>();
  for (const file of files) {
    const room = roomOf(file.path);
    if (room === undefined) continue;
    const others = ownImports(file).flatMap((other) => roomOf(other) ?? []);
    rooms.set(room, [...(rooms.get(room) ?? []), ...others.filter((other) => other !== room)]);
  }
  return circles(rooms);
}

function circles(imports: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  // Tarjan's strongly connected components.
  const visit = (file: string): number => {
    const index = order.size;
    order.set(file, index);
    lowest.set(file, index);
    open.push(file);
    for (const other of imports.get(file) ?? []) {
      if (!imports.has(other)) continue;
      const reached = order.has(other) ? (open.includes(other) ? order.get(other) : undefined) : visit(other);
      if (reached !== undefined) lowest.set(file, Math.min(lowest.get(file) as number, reached));
    }
    if (lowest.get(file) === index) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) found.push(circle.sort());
    }
    return lowest.get(file) as number;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** Paths of the files of its own package that a file imports, types too. */
export function ownImports(file: SourceFile): readonly string[] {
  return importsOf(file.text)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => path.posix.join(path.posix.dirname(file.path), specifier).replace(/\.js$/, ".ts"));
}

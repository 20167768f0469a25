import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { root, staticImportsOf } from "../../sources.js";

/** What a command that only prints may load: the grammar of the command line, and what guesses a mistyped name. */
const ALLOWED = ["commander", "fastest-levenshtein"];

test.each([
  [
    "the start of the CLI loads no library but those of the command line: everything else waits for its command",
    "packages/hooklet/src/main.ts",
    "packages/cli/src/main.ts",
  ],
  [
    "the client of the agent's socket loads no library before it asks",
    "packages/cli/src/client/agent-client.ts",
    "packages/streams/src/ndjson.ts",
  ],
  [
    "`hooklet simulate` loads no more before the process that simulates is there",
    "packages/simulate/src/commands/simulate.ts",
    "packages/simulate/src/subprocess/run-in-subprocess.ts",
  ],
])("%s", (_, entry, reached) => {
  const files = new Map<string, readonly string[]>();
  const libraries = new Map<string, string[]>();
  const visit = (file: string, way: readonly string[]): void => {
    if (files.has(file)) return;
    files.set(file, way);
    for (const specifier of staticImportsOf(readFileSync(path.join(root, file), "utf8"))) {
      if (specifier.startsWith("node:")) continue;
      const own = ownFile(file, specifier);
      if (own !== undefined) visit(own, [...way, file]);
      else if (!ALLOWED.includes(specifier)) libraries.set(specifier, [...way, file]);
    }
  };
  visit(entry, []);
  expect([...files.keys()]).toContain(reached);
  expect([...files.keys()]).toContain("packages/core/src/base.ts");
  expect(Object.fromEntries(libraries)).toEqual({});
});

/** The source file of this repository that is imported; undefined for a library. */
function ownFile(from: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) {
    return path.posix.join(path.posix.dirname(from), specifier).replace(/\.js$/, ".ts");
  }
  const [, name, entry] = /^@hooklet\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  const { exports } = JSON.parse(readFileSync(path.join(root, "packages", name, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly "hooklet-source": string }>>;
  };
  const file = exports[entry === undefined ? "." : `./${entry}`]?.["hooklet-source"];
  if (file === undefined) throw new Error(`${from} imports ${specifier}, which is no entry of packages/${name}`);
  return path.posix.join("packages", name, file);
}

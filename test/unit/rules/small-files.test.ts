/** A file under 25 lines that serves one neighbour alone joins it; those that stay apart are named here, each with why. */
import { expect, test } from "@jest/globals";
import { ownImports, packageSources, type SourceFile } from "../../sources.js";

const SMALL = 25;

const apart: Readonly<Record<string, readonly string[]>> = {
  "pure: a decision apart from the input and output of who asks": ["plugin-cgroups/src/cpu/recovery.ts"],
  "input and output, apart from who decides": [
    "plugin-probe/src/handlers/definitions.ts",
    "runtime-cri/src/definitions.ts",
    "source-kube/src/pods/runtime-class.ts",
  ],
};

const files = packageSources();

/** An entry re-exports what other files offer. */
function used(file: SourceFile): readonly string[] {
  return ownImports({
    ...file,
    text: file.text.replace(/^export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s+from\s+"[^"]+";$/gms, ""),
  });
}

function lonely(): readonly string[] {
  const importers = new Map<string, string[]>();
  const offered = new Set<string>();
  for (const file of files) {
    const own = new Set(used(file));
    for (const other of own) importers.set(other, [...(importers.get(other) ?? []), file.path]);
    for (const other of ownImports(file)) if (!own.has(other)) offered.add(other);
  }
  return files
    .filter(({ path, text }) => {
      const isSmall = text.trimEnd().split("\n").length < SMALL;
      return isSmall && importers.get(path)?.length === 1 && !offered.has(path);
    })
    .map(({ path }) => path.replace(/^packages\//, ""));
}

test("a small file with one importer is one that is named here; else it joins that importer", () => {
  const named = new Set(Object.values(apart).flat());
  expect(lonely().filter((path) => !named.has(path))).toEqual([]);
});

test("every file named here still needs it", () => {
  const small = new Set(lonely());
  expect(
    Object.values(apart)
      .flat()
      .filter((path) => !small.has(path)),
  ).toEqual([]);
});

/**
 * A file whose head comment ends in "Pure." computes from its input: it reads no file, asks no clock and waits for nothing.
 * What it imports beside types is as pure, whatever entry the name comes through.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import { codeOf, packageSources, root } from "../../sources.js";

/** Modules that only compute. */
const RECKONING = ["node:path", "node:util", "node:util/types", "fastest-levenshtein", "smol-toml", "zod"];
/** What waits, or reads the world. */
const IMPURE =
  /\basync\b|\bawait\b|\bnew Promise\b|\bPromise\.|\bprocess\.(?!versions)|\bconsole\.|\bMath\.random\b|\bimport\(/;

const files = new Map(packageSources().map((file) => [file.path, file.text]));
const entries = entryFiles();

/** The first comment, as one line. */
function headOf(text: string): string {
  const [, head = ""] = /^\/\*\*([\s\S]*?)\*\//.exec(text) ?? [];
  return head.replace(/\n \*/g, " ").trim();
}

const isPure = (file: string): boolean => headOf(files.get(file) ?? "").endsWith("Pure.");
const pure = [...files.keys()].filter(isPure);

describe("files that call themselves pure", () => {
  test("there are some: the decisions of core and of every plugin", () => {
    expect(pure.length).toBeGreaterThan(150);
    const packages = [...new Set([...files.keys()].map((file) => file.split("/")[1] as string))];
    const without = packages.filter((name) => !pure.some((file) => file.startsWith(`packages/${name}/`)));
    expect(without.filter((name) => name === "core" || name.startsWith("plugin-"))).toEqual([]);
  });

  test("they import types, node:path and other pure files alone", () => {
    const wrong = pure.flatMap((file) =>
      valuesOf(file)
        .filter((from) => !RECKONING.includes(from) && !isPure(from))
        .map((from) => `${file} -> ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  test("nothing in them waits or reads the world", () => {
    const wrong = pure.flatMap((file) => {
      const [found] = IMPURE.exec(codeOf(files.get(file) ?? "")) ?? [];
      return found === undefined ? [] : [`${file}: ${found}`];
    });
    expect(wrong).toEqual([]);
  });

  test("all that is behind @hooklet/core/rules is one of them", () => {
    const rules = valuesOf("packages/core/src/rules.ts").filter((file) => !file.endsWith("/one-core.ts"));
    expect(rules.length).toBeGreaterThan(20);
    expect(rules.filter((file) => !isPure(file))).toEqual([]);
  });
});

/** Where the values come from that a file imports or hands on: files of this repository, or names of modules. */
function valuesOf(file: string): readonly string[] {
  const text = codeOf(files.get(file) ?? "");
  const named = [...text.matchAll(/^(?:import|export)\b(?!\s+type\b)([^"';]*?)\bfrom\s+"([^"]+)"/gm)].flatMap(
    ([, names = "", specifier = ""]) => {
      const inside = /\{([\s\S]*)\}/.exec(names)?.[1];
      if (inside === undefined) return [fileOf(file, specifier) ?? specifier];
      const values = inside
        .split(",")
        .map((name) => name.trim().replace(/ as .*$/, ""))
        .filter((name) => name !== "" && !name.startsWith("type "));
      return values.map((name) => definedIn(file, specifier, name));
    },
  );
  const bare = [...text.matchAll(/^import\s+"([^"]+)"/gm)].map(([, name = ""]) => fileOf(file, name) ?? name);
  return [...new Set([...named, ...bare])];
}

/** The file that defines what a file imports by this name: through entries, and files that hand on what others have. */
function definedIn(file: string, specifier: string, name: string): string {
  const target = fileOf(file, specifier);
  if (target === undefined) return specifier;
  const text = codeOf(files.get(target) ?? "");
  for (const [, names = "", from = ""] of text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm)) {
    for (const one of names.split(",")) {
      const [inner = "", outer = inner] = one
        .trim()
        .replace(/^type /, "")
        .split(" as ");
      if (outer === name) return definedIn(target, from, inner);
    }
  }
  if (new RegExp(`^export [^;{*]*?\\b${name.replace("$", "\\$")}\\b`, "m").test(text)) return target;
  for (const [, from = ""] of text.matchAll(/^export \* from "([^"]+)"/gm)) {
    const found = definedIn(target, from, name);
    if (found !== target && exportsName(found, name)) return found;
  }
  return target;
}

function exportsName(file: string, name: string): boolean {
  return new RegExp(`^export .*\\b${name}\\b`, "m").test(files.get(file) ?? "");
}

function fileOf(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return entries.get(specifier);
  return path.posix.join(path.posix.dirname(from), specifier).replace(/\.js$/, ".ts");
}

/** Every entry of a package of this repository, with its source. */
function entryFiles(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of new Set([...files.keys()].map((file) => file.split("/")[1] as string))) {
    const manifest = JSON.parse(readFileSync(path.join(root, "packages", name, "package.json"), "utf8")) as {
      readonly name: string;
      readonly exports?: Readonly<Record<string, string | { readonly "hooklet-source"?: string }>>;
    };
    for (const [entry, where] of Object.entries(manifest.exports ?? {})) {
      const source = typeof where === "string" ? undefined : where["hooklet-source"];
      if (source !== undefined) {
        found.set(path.posix.join(manifest.name, entry), path.posix.join("packages", name, source));
      }
    }
  }
  return found;
}

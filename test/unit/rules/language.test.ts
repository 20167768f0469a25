/** Plain English in documents, descriptions and comments: words that readers stumble over, and what to write in their place. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import { codeFiles, packageSources, root } from "../../sources.js";

const BANNED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:whoever|whom)\b/, "the component: the pod, the caller, the client"],
  [/\b(?:nobody|somebody|anybody)\b/, "the component, or a sentence without: no pod, another program, a user"],
  [/\b(?:un)?told\b/, "reported, published, logged, shown, named"],
  [/\b(?:takes?|taken|took|taking) away\b/, "remove, switch off"],
  [/\bwhat of it\b/, "name the part"],
  [/\bone's own\b/, "your, a custom"],
  [/\bwant of\b/, "without, because of missing"],
  [/\bothers than\b/, "other than"],
  [/\bdoors?\b/, "entry, socket, listener"],
  [/\b(?:rooms|room lacks)\b/, "folder, pool; resources are short"],
  [/\b(?:rosters?|tenures?)\b/, "pod registry; lease"],
  [/\b(?:strays?|caretakers?|keepers?)\b/, "reconciler"],
  [/\bsuspects?\b/, "name the pods or requests"],
  [/\brehears(?:e|es|ed|al|als)\b/, "dry run"],
  [/\bunwinds?\b/, "cleanup"],
  [/\bunforeseen\b/, "uncaught, unexpected"],
  [/\bkept apart\b/, "isolated, separate"],
  [/\bsets? aside\b/, "moves aside (a file), quarantines (a pod)"],
  [/\blook(?:s|ed)? at\b/, "read, check"],
  [/\banew\b/, "again, restart"],
  [/\bfor ever\b/, "forever"],
  [/\breckon(?:s|ed)?\b/, "compute, count"],
  [/\b(?:he|his|him)\b/, "the user, the client"],
];

/** `file:line: word: what to write` for each banned word in the text. */
function faults(file: string, text: string): readonly string[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      BANNED.flatMap(([pattern, instead]) =>
        (line.match(new RegExp(pattern, "gi")) ?? []).map((word) => `${file}:${index + 1}: "${word}": ${instead}`),
      ),
    );
}

/** Without code, and without quoted titles and messages; lines stay where they are. */
function prose(markdown: string): string {
  return markdown
    .replace(/```(?:js|ts|sh|yaml|json|text)?\n[\s\S]*?\n *```/g, (block) => block.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`|"[^"\n]*"/g, "");
}

/** Comments of a TypeScript file alone; lines stay where they are. */
function comments(text: string): string {
  return text
    .split("\n")
    .map((line) => (/^\s*(?:\/\/|\/?\*)/.test(line) ? line : (/\s\/\/ .*$/.exec(line)?.[0] ?? "")))
    .join("\n");
}

/** What `--help`, `hooklet check` and tables show of options, commands and strategies. */
function descriptions(text: string): string {
  const said =
    /(?:\.describe\(|\.description\(|\bdescription: |\bentry\(|\bsub\([\w., ]*"[^"]*",|new Option\("[^"]*",)\s*((?:"(?:\\.|[^"\\])*"[\s+]*)+)/g;
  return [...text.matchAll(said)].map(([, words]) => words).join("\n");
}

/** Titles of tests and groups of tests; lines stay where they are. */
function titles(text: string): string {
  const title = /(?:\b(?:test|it|describe)(?:\.\w+)*|[\])}>])\(\s*("(?:\\.|[^"\\])*"|`[^`]*`)/g;
  const lines = text.split("\n").map(() => "");
  for (const { 0: call, 1: words = "", index } of text.matchAll(title)) {
    const line = text.slice(0, index + call.length - words.length).split("\n").length - 1;
    lines[line] = words.replace(/\n/g, " ");
  }
  return lines.join("\n");
}

const pages = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SCOPE.md", "SECURITY.md"],
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("adr/"))
    .map((name) => `docs/${name}`),
  ...readdirSync(path.join(root, "packages")).map((name) => `packages/${name}/README.md`),
];

describe("banned words are", () => {
  test.each(pages)("not in %s", (page) => {
    expect(faults(page, prose(readFileSync(path.join(root, page), "utf8")))).toEqual([]);
  });

  test("not in descriptions of options, commands and strategies", () => {
    const all = packageSources().map((file) => ({ path: file.path, text: descriptions(file.text) }));
    expect(all.filter(({ text }) => text !== "").length).toBeGreaterThan(20);
    expect(all.flatMap((file) => faults(file.path, file.text))).toEqual([]);
  });

  test("not in comments", () => {
    expect(packageSources().flatMap((file) => faults(file.path, comments(file.text)))).toEqual([]);
  });

  test("not in titles of tests", () => {
    const all = ["packages", "test", "fuzz", "conformance"]
      .flatMap((folder) => codeFiles(path.join(root, folder), /\.test\.ts$/))
      .map((file) => ({ path: path.relative(root, file), text: titles(readFileSync(file, "utf8")) }));
    expect(all.filter(({ text }) => text !== "").length).toBeGreaterThan(400);
    expect(all.flatMap((file) => faults(file.path, file.text))).toEqual([]);
  });

  test("found, with what to write instead", () => {
    expect(faults("a.md", "fine\nNobody is told.")).toHaveLength(2);
    expect(comments('const a = "nobody"; // nobody\n')).toBe(" // nobody\n");
    expect(prose("`nobody`\n```js\nanew\n```\n")).not.toMatch(/nobody|anew/);
  });
});

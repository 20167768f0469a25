/** Every command line of README and docs is one that the program takes: its commands and options are there. And each command has help. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Command } from "commander";
import { commandPage } from "../../../../scripts/command-page.mjs";
import { buildProgram } from "../../../cli/src/program.js";
import { program as commands } from "../../src/program.js";
import { fakeIo, hooklet, host } from "../binary.js";

const root = process.cwd();
const inFolder = (folder: string, recursive = false): string[] =>
  readdirSync(join(root, folder), { encoding: "utf8", recursive })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const pages = [
  ...inFolder("."),
  ...inFolder("docs", true),
  ...readdirSync(join(root, "packages")).flatMap((name) => inFolder(join("packages", name))),
];

/** Words of each command line of a page: of its shell blocks, and of its inline code. */
function commandLines(text: string): readonly (readonly string[])[] {
  const blocks = [...text.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block.split("\n"),
  );
  const inline = [...text.matchAll(/`(hooklet [^`\n]+)`/g)].map(([, code = ""]) => code);
  return [...blocks, ...inline].flatMap((line) => {
    const [, rest] = /^(?:\$ )?hooklet (.*)$/.exec(line.trim()) ?? [];
    const command = rest?.replace(/\s+#.*$/, "").split(/ [|>]|; | && /)[0];
    return command === undefined ? [] : [command.split(/\s+/).filter((word) => word !== "")];
  });
}

/** What is wrong with a command line; undefined: nothing. */
function faultOf(program: Command, words: readonly string[]): string | undefined {
  let command = program;
  let at = 0;
  for (; at < words.length; at += 1) {
    const names = (words[at] ?? "").split("|");
    const inner = command.commands.filter((one) =>
      names.some((name) => one.name() === name || one.aliases().includes(name)),
    );
    if (inner.length === 0 || inner.length < names.length) break;
    command = inner[0] as Command;
  }
  const [first = ""] = words;
  if (at === 0 && !first.startsWith("-")) return `no command ${first}`;
  if (command.name() === "plan") return undefined;
  for (const word of words.slice(at)) {
    if (word === "--") return undefined;
    if (!/^\[?--?[a-zA-Z]/.test(word)) continue;
    const name = word.replace(/^\[/, "").replace(/[\]=].*$/, "");
    const isShortGroup = /^-[a-zA-Z]{2,}$/.test(name);
    const wanted = isShortGroup ? [...name.slice(1)].map((letter) => `-${letter}`) : [name];
    const known = [...command.options, ...program.options].flatMap(({ short, long }) => [short, long]);
    const unknown = wanted.find((one) => !known.includes(one) && !["--help", "-h"].includes(one));
    if (unknown !== undefined) return `no option ${unknown}`;
  }
  return undefined;
}

const { command: program } = buildProgram(commands("1.2.3", host), fakeIo());

test.each(pages)("%s", (page) => {
  const wrong = commandLines(readFileSync(join(root, page), "utf8")).flatMap((words) => {
    const fault = faultOf(program, words);
    return fault === undefined ? [] : [`hooklet ${words.join(" ")}: ${fault}`];
  });
  expect(wrong).toEqual([]);
});

test("the pages have command lines", () => {
  const all = pages.flatMap((page) => commandLines(readFileSync(join(root, page), "utf8")));
  expect(all.length).toBeGreaterThan(40);
});

test("docs/reference/cli.md has the help of every command", () => {
  const renew = "build, then run: node scripts/generate-docs.mjs";
  const page = commandPage(buildProgram(commands("", host), fakeIo()).command);
  expect({ renew, page: readFileSync(join(root, "docs/reference/cli.md"), "utf8") }).toEqual({ renew, page });
});

test("every command has help with an example", async () => {
  const visit = async (command: Command, path: readonly string[]): Promise<void> => {
    for (const inner of command.commands) {
      if (inner.name() === "complete") continue;
      const words = [...path, inner.name()];
      const { code, out } = await hooklet([...words, "--help"]);
      expect([words.join(" "), code]).toEqual([words.join(" "), 0]);
      expect(out).toMatch(new RegExp(`\\nExamples?:\\n  \\$ hooklet |\\n  \\$ hooklet ${words[0]}`));
      await visit(inner, words);
    }
  };
  await visit(program, []);
  expect((await hooklet("--help")).out).toContain("Example:\n  $ hooklet run");
});

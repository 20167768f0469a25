/** What a plugin's folder has to be checked with: the types where there is a compiler, the tests where there are any. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Check {
  readonly name: "types" | "tests";
  readonly program: string;
  readonly words: readonly string[];
  readonly folder: string;
}

const TEST = /\.test\.[cm]?js$/;
const CONFIGS = ["tsconfig.json", "jsconfig.json"];
/** Of what a check says, the end. */
const LINES = 30;
const MAX_OUTPUT = 1024 * 1024;

export function checksOf(folder: string): readonly Check[] {
  const config = CONFIGS.find((name) => existsSync(join(folder, name)));
  const compiler = above(folder, "node_modules/.bin/tsc");
  const tests = readdirSync(folder).filter((name) => TEST.test(name));
  const isBuilt =
    tests.length === 0 && existsSync(join(folder, "tsconfig.json")) && existsSync(join(folder, "package.json"));
  return [
    ...(config === undefined || compiler === undefined
      ? []
      : [
          { name: "types", program: compiler, words: ["--noEmit", "--pretty", "false", "-p", config], folder } as const,
        ]),
    ...(tests.length > 0
      ? [{ name: "tests", program: process.execPath, words: ["--test", ...tests], folder } as const]
      : []),
    // Sources in TypeScript are built first, as their package says.
    ...(isBuilt ? [{ name: "tests", program: "npm", words: ["test", "--silent"], folder } as const] : []),
  ];
}

/** The nearest one above the folder. */
function above(folder: string, path: string): string | undefined {
  const found = join(folder, path);
  if (existsSync(found)) return found;
  return dirname(folder) === folder ? undefined : above(dirname(folder), path);
}

/** @param signal ends it */
export function runCheck(
  { program, words, folder }: Check,
  signal: AbortSignal,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  return new Promise((resolve) => {
    execFile(program, [...words], { cwd: folder, signal, maxBuffer: MAX_OUTPUT }, (error, stdout, stderr) => {
      if (error === null) return resolve({ ok: true, text: "" });
      const said = `${stdout}${stderr}`.trim();
      resolve({ ok: false, text: failing(said === "" ? error.message : said) });
    });
  });
}

/** Of a test run what failed; of anything else its end. */
export function failing(output: string): string {
  const lines = output.split("\n");
  const failed = lines.filter((line) => /^\s*(?:not ok|✖) /.test(line));
  // Of a text that begins in the next line, that line.
  const why = lines.flatMap((line, at) => {
    if (!/^\s*(?:error:|\w*Error\b)/.test(line)) return [];
    return /:\s*[|>]-?\s*$/.test(line) ? [`error: ${(lines[at + 1] ?? "").trim()}`] : [line];
  });
  if (failed.length > 0)
    return [...failed, ...why]
      .slice(0, LINES)
      .map((line) => line.trim())
      .join("\n");
  return lines.slice(-LINES).join("\n");
}

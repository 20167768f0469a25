/** The tutorials, step by step: their files are written, their commands run, and the screens show what they show. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { removeTree } from "@hooklet/linux";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { unmountBelow } from "../../scripts/machine.mjs";
import { root } from "../sources.js";
import { until } from "../support/agent.js";

let folder: string;
let agent: ChildProcess | undefined;

beforeEach(async () => {
  // Below the root directory of a file system that only root can write: hooklet runs no rc file of a folder that all can write.
  folder = await mkdtemp(path.join(process.getuid?.() === 0 ? "/root" : tmpdir(), "hooklet-tutorial-"));
});

afterEach(async () => {
  if (agent !== undefined) {
    const ended = new Promise((resolve) => agent?.once("exit", resolve));
    agent.kill("SIGINT");
    await ended;
    agent = undefined;
  }
  if (process.getuid?.() === 0) unmountBelow(folder);
  await removeTree(folder);
});

/** As the reader's shell, with what was exported before. */
function shell(script: string, exports: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const bash = spawn("bash", ["-c", [...exports, script].join("\n")], { cwd: folder, env: environment() });
    let output = "";
    for (const stream of [bash.stdout, bash.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()));
    bash.once("close", () => resolve(output));
  });
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${path.join(root, "node_modules/.bin")}:${process.env.PATH}` };
}

/** Without numbers and widths of columns, which are another run's. */
const shape = (text: string): string => text.replace(/\d+/g, "0").replace(/[ \t]+/g, " ");

/** Whether a line of the page is on the screen; `...` is what the page leaves out. */
function isShown(line: string, screen: string): boolean {
  const parts = shape(line)
    .split("...")
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(parts.join(".*")).test(shape(screen));
}

/** Commands may be repeated until the screen is right. */
const READS = /^(?:export |hooklet (?:get|explain|logs|plan) )/;

test.each(["first-pod", "first-plugin", "first-strategy"])(
  "docs/tutorials/%s.md",
  async (name) => {
    const page = await readFile(path.join(root, "docs/tutorials", `${name}.md`), "utf8");
    const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
      language,
      text,
    }));
    const exports: string[] = [];
    let output = "";
    let last = "";
    for (const { language, text } of blocks) {
      const [, file] = /^(?:#|\/\/) ([\w./-]+)\n/.exec(text) ?? [];
      if (file !== undefined) {
        await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
        await writeFile(path.join(folder, file), text);
      } else if (text.startsWith("hooklet run ")) {
        const words = text.trim().split(" ").slice(1);
        agent = spawn(path.join(root, "node_modules/.bin/hooklet"), words, {
          cwd: folder,
          env: environment(),
          stdio: "ignore",
        });
      } else if (language === "sh") {
        exports.push(...text.split("\n").filter((line) => line.startsWith("export ")));
        last = text;
        output = await shell(text, exports);
      } else {
        const lines = text.split("\n").filter((line) => line.trim() !== "");
        const reads = last.split("\n").filter((line) => READS.test(line));
        const first = output;
        await until(
          () => `${last}shows\n${text}it showed\n${output}`,
          async () => {
            if (lines.every((line) => isShown(line, output))) return true;
            output = `${first}${await shell(["sleep 0.3", ...reads].join("\n"), exports)}`;
            return false;
          },
          30,
        );
      }
    }
    expect(output).not.toMatch(/^error:/m);
  },
  180_000,
);

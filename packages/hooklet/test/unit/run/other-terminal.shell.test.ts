import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { aPod } from "../../../../server/test/samples.js";
import { shellIn } from "../../../src/run/other-terminal.js";

const folder = mkdtempSync(path.join(tmpdir(), "hooklet-shell-"));
afterAll(() => rmSync(folder, { recursive: true }));

function shell(script: string): Promise<void> {
  const program = path.join(folder, "program.cjs");
  writeFileSync(program, script);
  return shellIn(aPod("web", { metadata: { namespace: "team" } }), { socket: "/s", program });
}

test("a shell in a pod is `hooklet exec` on this agent", async () => {
  const words = path.join(folder, "words");
  await shell(`require("fs").writeFileSync(${JSON.stringify(words)}, process.argv.slice(2).join(" "))`);
  expect(readFileSync(words, "utf8")).toBe("--socket /s exec -it -n team web -- sh");
});

test.each([
  ["its last command failed", "process.exitCode = 3"],
  ["it only said something", "console.error('a word')"],
])("a shell that ends as shells do is no failure: %s", (_name, script) => shell(script));

test("one that could not begin is a failure, by the last line of what it said, however much that is", async () => {
  const script = `console.error("x".repeat(5000)); console.error("error: no such pod"); process.exitCode = 1`;
  await expect(shell(script)).rejects.toThrow(/^error: no such pod$/);
});

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { hooklet } from "../support/agent.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-readme-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The first block of this language behind a line with these words. */
async function block(words: string, language: string): Promise<string> {
  const readme = await readFile(path.join(root, "README.md"), "utf8");
  const found = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readme.slice(readme.indexOf(words)));
  if (found === null) throw new Error(`no ${language} block behind ${words}`);
  return found[1] as string;
}

test("the README's plugin is under 20 lines and works as documented", async () => {
  const plugin = await block("## A plugin of your own", "js");
  expect(plugin.trim().split("\n").length).toBeLessThan(20);
  await writeFile(path.join(folder, "no-latest.mjs"), plugin);
  await writeFile(path.join(folder, ".hookletrc.yaml"), await block(".hookletrc.yaml` in the same directory", "yaml"));
  await writeFile(
    path.join(folder, "pods.yaml"),
    `
{ apiVersion: v1, kind: Pod, metadata: { name: good, labels: { team: shop } },
  spec: { restartPolicy: Never, containers: [{ name: main, image: host, command: [sh, -c, 'test "$TEAM" = shop'] }] } }
---
{ apiVersion: v1, kind: Pod, metadata: { name: bad }, spec: { containers: [{ name: main, image: "web:latest" }] } }
`,
  );
  const checked = await hooklet(["check"], folder);
  expect({ code: checked.code, stderr: checked.stderr }).toEqual({ code: 0, stderr: "" });
  const args = ["--manifests", path.join(folder, "pods.yaml"), "--root-dir", path.join(folder, "root"), "--port", "0"];
  const { stdout } = await hooklet(["run", "--once", ...args], folder);
  expect(stdout).toMatch(/good-\S+\s+0\/1\s+Completed/);
  expect(stdout).toMatch(/bad-\S+\s+0\/1\s+ImageNotPinned/);
}, 180_000);

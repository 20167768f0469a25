/** `--help` of a script prints what it does, and nothing else happens. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../../sources.js";

const text = await readFile(path.join(root, "package.json"), "utf8");
const { scripts } = JSON.parse(text) as { readonly scripts: Readonly<Record<string, string>> };
const files = new Set(Object.values(scripts).flatMap((command) => command.match(/scripts\/[\w-]+\.mjs/g) ?? []));

describe("--help", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "hooklet-help-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** With nothing on its PATH but what is not there: what it would start cannot be found. */
  async function helpOf(...words: readonly string[]): Promise<string> {
    const [script = "", ...rest] = words;
    const env = { ...process.env, PATH: folder, HOOKLET_KUBERNETES_BIN: folder };
    const program = [path.join(root, script), ...rest];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, program, { cwd: folder, env });
    expect(stderr).toBe("");
    return stdout;
  }

  test.each([...files])("of %s is the comment that it begins with", async (file) => {
    const help = await helpOf(file, "--help");
    expect(help).toMatch(/^\S.*\w/);
    for (const line of help.trimEnd().split("\n"))
      expect(await readFile(path.join(root, file), "utf8")).toContain(line);
  });

  test("of the list of Kubernetes' own tests has its options", async () => {
    expect(await helpOf("scripts/kube.mjs", "list", "--help")).toContain("--runtime process");
  });

  test("behind kubectl is kubectl's own", async () => {
    await writeFile(path.join(folder, "kubectl"), '#!/bin/sh\necho "asked for $*"\n', { mode: 0o755 });
    expect(await helpOf("scripts/cluster.mjs", "kubectl", "get", "--help")).toMatch(/^asked for .*get --help\n$/);
  });
});

import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { installScripts } from "../../../src/command/scripts.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-scripts-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("scripts that are there are not written again: a full disk keeps no agent from starting", async () => {
  const { shim } = await installScripts(folder);
  const before = await stat(shim);
  await installScripts(folder);
  const after = await stat(shim);
  expect([after.ino, after.ctimeMs]).toEqual([before.ino, before.ctimeMs]);
});

test.each([
  {
    name: "was changed",
    how: async (file: string) => {
      await chmod(file, 0o700);
      await writeFile(file, "exit 0");
      await chmod(file, 0o500);
    },
  },
  { name: "others may write", how: (file: string) => chmod(file, 0o777) },
  {
    name: "is a folder",
    how: async (file: string) => {
      await rm(file);
      await mkdir(path.join(file, "in the way"), { recursive: true });
    },
  },
  { name: "is gone", how: (file: string) => rm(file) },
])("a script that $name is written again", async ({ how }) => {
  const { shim } = await installScripts(folder);
  const text = await readFile(shim, "utf8");
  await how(shim);
  await installScripts(folder);
  expect(await readFile(shim, "utf8")).toBe(text);
  expect((await stat(shim)).mode & 0o777).toBe(0o500);
  expect((await readdir(folder)).length).toBe(6);
});

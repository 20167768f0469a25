import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { rcFileAbove } from "../../../src/commands/check.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-check-"));
  await mkdir(path.join(folder, "plugins/owners"), { recursive: true });
});

afterEach(() => rm(folder, { recursive: true }));

test.each([
  ["plugins", "../.hookletrc.yaml"],
  ["plugins/owners", "../../.hookletrc.yaml"],
])("the rc file above %s is found, from there", async (below, expected) => {
  await writeFile(path.join(folder, ".hookletrc.yaml"), "");
  expect(await rcFileAbove(path.join(folder, below))).toBe(expected);
});

test("the nearest one counts, and a package.json only where it configures hooklet", async () => {
  await writeFile(path.join(folder, ".hookletrc.yaml"), "");
  await writeFile(path.join(folder, "plugins/package.json"), "{}");
  expect(await rcFileAbove(path.join(folder, "plugins/owners"))).toBe("../../.hookletrc.yaml");
  await writeFile(path.join(folder, "plugins/package.json"), '{"hooklet":{}}');
  expect(await rcFileAbove(path.join(folder, "plugins/owners"))).toBe("../package.json");
});

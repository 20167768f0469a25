import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { removeStaleTemp } from "../../../src/image/temp.js";
import { isRoot } from "../../harness.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "hooklet-temp-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

(isRoot ? test : test.skip)("what was mounted in an interrupted import is not emptied with it", async () => {
  const precious = join(directory, "precious");
  const mounted = join(directory, "temp/1-0-dead/image");
  await mkdir(mounted, { recursive: true });
  await mkdir(precious);
  await writeFile(join(precious, "file"), "");
  execFileSync("mount", ["--bind", precious, mounted]);
  try {
    await expect(removeStaleTemp(join(directory, "temp"))).rejects.toThrow("something is mounted on");
    expect(existsSync(join(precious, "file"))).toBe(true);
  } finally {
    execFileSync("umount", [mounted]);
  }
});

/** Sources of volumes, in the agent's own folders and elsewhere, where a helper process makes them. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { RootCalls } from "../../../src/rootfs/root-calls.js";
import { LowerStats } from "../../../src/rootfs/view.js";

let folder: string;
let calls: RootCalls;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-source-"));
  calls = new RootCalls({
    clock: systemClock,
    rootDir: path.join(folder, "root"),
    shownMounts: new Set(),
    lowerStats: new LowerStats(systemClock),
  });
});
afterEach(async () => {
  calls.close();
  await rm(folder, { recursive: true });
});

test.each(["pods/1/volume-subpaths/shared/main/0", "pods/1/volumes/host/conf", "../elsewhere"])(
  "a file at %s is a source as it is; what is missing becomes a folder",
  async (below) => {
    const source = path.join(folder, "root", below);
    await calls.makeSource(source);
    expect(statSync(source).mode & 0o7777).toBe(0o755);
    const file = path.join(source, "file");
    writeFileSync(file, "kept");
    await calls.makeSource(file);
    expect(readFileSync(file, "utf8")).toBe("kept");
    expect(existsSync(path.join(folder, "root", below, "file/file"))).toBe(false);
  },
);

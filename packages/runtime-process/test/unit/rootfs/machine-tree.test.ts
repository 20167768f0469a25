import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseMountinfo } from "@hooklet/linux";
import { systemClock } from "@hooklet/utils";
import { afterEach, expect, test } from "@jest/globals";
import { LayerFolders, machineTree } from "../../../src/rootfs/machine-tree.js";
import { LowerStats } from "../../../src/rootfs/view.js";

const folder = mkdtempSync(join(tmpdir(), "hooklet-tree-"));

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("in a user namespace /tmp is empty but writable when there is a mount below it", () => {
  const style = { userNamespace: true, volatileLayers: false };
  const mounts = parseMountinfo("30 20 0:30 / /tmp/other rw - tmpfs tmpfs rw");
  const folders = new LayerFolders(folder, style);
  const source = {
    ...style,
    folder,
    needed: [],
    mounts,
    reaches: () => true,
    shownMounts: new Set<string>(),
    devTemplate: "",
    lowerStats: new LowerStats(systemClock),
  };
  machineTree(source, folders, folder, mounts);
  const tmp = join(folder, "tmp");
  expect(statSync(tmp).mode & 0o7777).toBe(0o1777);
  expect(folders.entries.filter(({ target }) => target === tmp)).toEqual([]);
});

/** hostPaths of sources with `allowedHostPaths`: real bind mounts, root on Linux. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { mountAllowed } from "../../src/allowed-host-path.js";
import { releaseMounts } from "../../src/sub-path-mounts.js";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;
let scratch = "";
let podDir = "";
const at = (...steps: string[]): string => path.join(scratch, ...steps);
const mounted = (hostPath: string, type = "", allowed = [at("allowed")]): Promise<string> =>
  mountAllowed({ podDir, volume: "v", source: { path: hostPath, type }, allowed });

beforeEach(() => {
  scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "hooklet-allowed-")));
  for (const folder of ["allowed/dir", "other", "secret", "pod"]) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at("allowed/dir/file"), "good");
  writeFileSync(at("secret/file"), "secret");
  podDir = at("pod");
});
afterEach(async () => {
  await releaseMounts(podDir);
  rmSync(scratch, { recursive: true, force: true });
});

describe("what a host path of a restricted source leads to", () => {
  test("lies in the list: it is taken, also by a link that stays in it", async () => {
    symlinkSync("dir", at("allowed/link"));
    expect(readFileSync(path.join(await mounted(at("allowed/link")), "file"), "utf8")).toBe("good");
    expect(readFileSync(await mounted(at("allowed/dir/file"), "File"), "utf8")).toBe("good");
  });

  test("lies elsewhere: it is refused by name, and nothing is made there", async () => {
    symlinkSync(at("secret"), at("allowed/link"));
    for (const below of ["", "/file", "/new"]) {
      await expect(mounted(at(`allowed/link${below}`), below === "/new" ? "DirectoryOrCreate" : "")).rejects.toThrow(
        `${at("allowed/link")}${below} leads to ${at("secret")}${below}, which allowedHostPaths does not name`,
      );
    }
    expect(readdirSync(at("secret"))).toEqual(["file"]);
  });

  test("lies in another folder of the list: it is taken", async () => {
    symlinkSync(at("other"), at("allowed/link"));
    writeFileSync(at("other/file"), "other");
    const lists = [at("allowed"), at("other")];
    expect(readFileSync(path.join(await mounted(at("allowed/link"), "Directory", lists), "file"), "utf8")).toBe(
      "other",
    );
  });

  test("is missing: a folder or a file is made in the list where the type wants it, and refused where it does not", async () => {
    await mounted(at("allowed/new/deep"), "DirectoryOrCreate");
    expect(statSync(at("allowed/new/deep")).mode & 0o777).toBe(0o755);
    await mounted(at("allowed/new/file"), "FileOrCreate");
    expect(statSync(at("allowed/new/file")).isFile()).toBe(true);
    await expect(mounted(at("allowed/none"), "Directory")).rejects.toThrow(
      `hostPath type check failed: ${at("allowed/none")} is not a directory`,
    );
    await expect(mounted(at("allowed/dir"), "Socket")).rejects.toThrow("is not a socket file");
    expect(existsSync(at("allowed/none"))).toBe(false);
  });

  (isRoot ? test : test.skip)("is what is mounted, whatever is put there after the look", async () => {
    const source = await mounted(at("allowed/dir"));
    await rename(at("allowed/dir"), at("allowed/old"));
    await symlink(at("secret"), at("allowed/dir"));
    expect(readFileSync(path.join(source, "file"), "utf8")).toBe("good");
    await expect(mounted(at("allowed/dir"))).rejects.toThrow("which allowedHostPaths does not name");
  });

  (isRoot ? test : test.skip)("never leads elsewhere, while it is swapped with a link all the time", async () => {
    let swapping = true;
    const swap = async (): Promise<void> => {
      while (swapping) {
        await rename(at("allowed/dir"), at("allowed/away"));
        await symlink(at("secret"), at("allowed/dir"));
        await rm(at("allowed/dir"));
        await rename(at("allowed/away"), at("allowed/dir"));
      }
    };
    const swaps = swap();
    const seen = new Set<string>();
    for (let round = 0; round < 60; round++) {
      const source = await mounted(at("allowed/dir"), "Directory").catch(() => undefined);
      if (source !== undefined) seen.add(readFileSync(path.join(source, "file"), "utf8"));
    }
    swapping = false;
    await swaps;
    expect([...seen].filter((text) => text !== "good")).toEqual([]);
  });
});

import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import fs from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { makeOwnFolder } from "../../../src/files/own-files.js";

let base: string;

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), "hooklet-own-"));
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(base, { recursive: true });
});

const asRoot = process.geteuid?.() === 0 ? test : test.skip;

test("a folder and what is missing above it are made, and one that is there is taken", async () => {
  const folder = path.join(base, "a", "b");
  await makeOwnFolder(folder, "choose another");
  await makeOwnFolder(folder, "choose another");
  expect(statSync(folder).isDirectory()).toBe(true);
});

asRoot("a folder that another user has made since the first look is refused", async () => {
  const folder = path.join(base, "a");
  mkdirSync(folder);
  chownSync(folder, 65_534, 65_534);
  await expect(makeOwnFolder(folder, "choose another")).rejects.toThrow("owner 65534 (choose another)");
  await expect(makeOwnFolder(path.join(folder, "root"), "choose another")).rejects.toThrow("owner 65534");
});

asRoot("a folder that others may write in is refused", async () => {
  const folder = path.join(base, "a");
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  await expect(makeOwnFolder(folder, "choose another")).rejects.toThrow("mode 0777");
});

asRoot("a folder that comes and goes while it is made is refused, or is the agent's own", async () => {
  const [folder, prepared] = [path.join(base, "a"), path.join(base, "prepared")];
  mkdirSync(path.join(prepared, "root"), { recursive: true });
  for (const one of [prepared, path.join(prepared, "root")]) chownSync(one, 65_534, 65_534);
  let swaps = true;
  const swapping = (async () => {
    while (swaps) {
      await fs.rename(prepared, folder).catch(() => undefined);
      await fs.rename(folder, prepared).catch(() => undefined);
    }
  })();
  for (let index = 0; index < 50; index += 1) {
    const made = await makeOwnFolder(path.join(folder, "root"), "choose another").then(
      () => true,
      () => false,
    );
    if (made) {
      expect(statSync(path.join(folder, "root")).uid).toBe(0);
      break;
    }
  }
  swaps = false;
  await swapping;
});

asRoot("a folder of the user who called sudo is taken only where that user counts as root", async () => {
  const before = process.env.SUDO_UID;
  process.env.SUDO_UID = "1002";
  try {
    const folder = path.join(base, "a");
    mkdirSync(folder);
    chownSync(folder, 1002, 1002);
    await expect(makeOwnFolder(folder, "choose another")).rejects.toThrow("owner 1002");
    await expect(makeOwnFolder(folder, "choose another", 1002)).resolves.toBeUndefined();
  } finally {
    if (before === undefined) delete process.env.SUDO_UID;
    else process.env.SUDO_UID = before;
  }
});

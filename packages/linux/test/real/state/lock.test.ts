import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { isLocked, lockRootDir } from "../../../src/state/lock.js";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "hooklet-lock-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("a second agent on the same root directory, under any of its names, gets an error with the holder and the next step", async () => {
  const lock = await lockRootDir(root, systemClock);
  const alias = join(root, "alias");
  await symlink(root, alias);
  await expect(lockRootDir(alias, systemClock)).rejects.toMatchObject({
    code: "ROOT_DIR_LOCKED",
    message: expect.stringContaining(`(pid ${process.pid}) uses the root directory ${alias}`),
  });
  await lock.release();
});

test("a released lock is free, and releasing twice is harmless", async () => {
  const lock = await lockRootDir(root, systemClock);
  await lock.release();
  await lock.release();
  await (await lockRootDir(root, systemClock)).release();
});

test("a lock tells since when the root directory is in use, also to the agents that come later", async () => {
  const rootDir = root;
  const before = Date.now();
  const first = await lockRootDir(rootDir, systemClock);
  await first.release();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const second = await lockRootDir(rootDir, systemClock);
  await second.release();
  expect(second.since).toBe(first.since);
  expect(Math.abs((first.since ?? 0) - before)).toBeLessThan(5_000);
});

test("a directory is locked while an agent has it; a folder without a lock is not, and stays as it is", async () => {
  expect(await isLocked(root)).toBe(false);
  expect(await readdir(root)).toEqual([]);
  const lock = await lockRootDir(root, systemClock);
  expect(await isLocked(root)).toBe(true);
  await lock.release();
  expect(await isLocked(root)).toBe(false);
});

test("two root directories do not disturb each other", async () => {
  const other = await mkdtemp(join(tmpdir(), "hooklet-lock-"));
  const locks = [await lockRootDir(root, systemClock), await lockRootDir(other, systemClock)];
  await Promise.all(locks.map((lock) => lock.release()));
  await rm(other, { recursive: true });
});

/** Another process that locks the directory as the agent does, and says so. */
async function otherAgent(): Promise<ReturnType<typeof spawn>> {
  const script = `
    const { lockRootDir } = await import(${JSON.stringify(new URL("../../../dist/state/lock.js", import.meta.url).href)});
    const { systemClock } = await import(${JSON.stringify(new URL("../../../../utils/dist/clock.js", import.meta.url).href)});
    await lockRootDir(${JSON.stringify(root)}, systemClock);
    console.log("held");
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout as NodeJS.ReadableStream, "data");
  return holder;
}

test("kill -9 frees the lock", async () => {
  const holder = await otherAgent();
  await expect(lockRootDir(root, systemClock)).rejects.toMatchObject({
    code: "ROOT_DIR_LOCKED",
    message: expect.stringContaining(`(pid ${holder.pid})`),
  });
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await (await lockRootDir(root, systemClock)).release();
});

test("the lock is a file that others can neither read nor take", async () => {
  const lock = await lockRootDir(root, systemClock);
  expect((await stat(join(root, "lock"))).mode & 0o777).toBe(0o600);
  await lock.release();
});

test("a link in the place of the lock is not followed", async () => {
  const elsewhere = join(root, "elsewhere");
  await symlink(elsewhere, join(root, "lock"));
  await expect(lockRootDir(root, systemClock)).rejects.toMatchObject({ code: "STATE_UNWRITABLE" });
  await expect(stat(elsewhere)).rejects.toThrow("ENOENT");
});

(process.getuid?.() === 0 ? test : test.skip)("another user cannot keep the agent out", async () => {
  await chmod(root, 0o755);
  await (await lockRootDir(root, systemClock)).release();
  const asNobody = spawn("setpriv", [
    "--reuid=65534",
    "--clear-groups",
    "flock",
    "--nonblock",
    join(root, "lock"),
    "true",
  ]);
  const [code] = await once(asNobody, "exit");
  expect(code).not.toBe(0);
});

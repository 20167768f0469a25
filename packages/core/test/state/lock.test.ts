import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { systemClock } from "../../src/clock.js";
import { lockRootDir, socketName } from "../../src/state/lock.js";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "hooklet-lock-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("a second agent on the same root directory, under any of its names, is told who has it and what to do", async () => {
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

test("two root directories do not disturb each other", async () => {
  const other = await mkdtemp(join(tmpdir(), "hooklet-lock-"));
  const locks = [await lockRootDir(root, systemClock), await lockRootDir(other, systemClock)];
  await Promise.all(locks.map((lock) => lock.release()));
  await rm(other, { recursive: true });
});

test("kill -9 frees the lock", async () => {
  const name = socketName(await realpath(root));
  const script = `require("node:net").createServer().listen(${JSON.stringify(name)}, () => console.log("held"))`;
  const holder = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  await expect(lockRootDir(root, systemClock)).rejects.toMatchObject({ code: "ROOT_DIR_LOCKED" });
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await (await lockRootDir(root, systemClock)).release();
});

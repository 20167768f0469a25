import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { nodeHost } from "@hooklet/linux";
import { SimulatedHost, VirtualClock } from "@hooklet/testkit";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { keepReserve, useReserve } from "../../../src/state/reserve.js";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const host = nodeHost(systemClock);
let root: string;
const reserve = (): string => path.join(root, "reserve");

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "hooklet-reserve-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("with enough free space a reserve is made, once, and kept", async () => {
  await keepReserve(root, host);
  const { size, ino } = await stat(reserve());
  expect(size).toBe(1024 ** 2);
  await keepReserve(root, host);
  expect((await stat(reserve())).ino).toBe(ino);
  expect(await useReserve(root, host)).toBe(false);
  expect(existsSync(reserve())).toBe(true);
});

test("a folder in its place is removed", async () => {
  await mkdir(path.join(reserve(), "in the way"), { recursive: true });
  await keepReserve(root, host);
  expect((await stat(reserve())).size).toBe(1024 ** 2);
});

test("a disk that does not answer holds nothing up for longer than the host waits for it", async () => {
  const clock = new VirtualClock();
  const dead = new SimulatedHost({ clock });
  dead.delay("statfs", Number.POSITIVE_INFINITY);
  const asked = useReserve(root, dead).catch((error: unknown) => error);
  await clock.advance(5_000);
  expect(await asked).toMatchObject({ code: "HOST_UNAVAILABLE" });
});

(isRoot ? describe : describe.skip)("on a small disk (root on Linux)", () => {
  const mount = (megabytes: number): void =>
    void execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "none", root]);
  afterEach(() => void execFileSync("umount", [root]));

  async function fill(): Promise<void> {
    const file = await open(path.join(root, "filler"), "w");
    for (;;) {
      const more = await file.write(Buffer.alloc(64 * 1024)).catch(() => ({ bytesWritten: 0 }));
      if (more.bytesWritten === 0) break;
    }
    await file.close();
  }

  test("that is full, the reserve frees what an agent needs", async () => {
    mount(20);
    await keepReserve(root, host);
    await fill();
    await expect(writeFile(path.join(root, "new"), "text")).rejects.toThrow("ENOSPC");
    expect(await useReserve(root, host)).toBe(true);
    for (let i = 0; i < 20; i++) await mkdir(path.join(root, `directory${i}`));
    expect(await useReserve(root, host)).toBe(false);
  });

  test("a reserve is not what fills it", async () => {
    mount(10);
    await keepReserve(root, host);
    expect(existsSync(reserve())).toBe(false);
  });
});

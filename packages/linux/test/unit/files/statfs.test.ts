/** Size and free space of a file system: what is reported, and how often a file system is asked. */
import type { StatsFs } from "node:fs";
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { createStatfs, deviceName } from "../../../src/files/statfs.js";

const STATS = { type: 0, bsize: 4096, blocks: 100, bfree: 40, bavail: 30, files: 50, ffree: 20 } as StatsFs;

function asked(stats: Partial<StatsFs> = {}) {
  const [clock, paths] = [new VirtualClock(), [] as string[]];
  const giving = new Map<string, () => void>();
  const statfs = createStatfs(clock, {
    stat: async () => ({ dev: 0x801n }),
    statfs: (path) => {
      paths.push(path);
      return new Promise((resolve) => giving.set(path, () => resolve({ ...STATS, ...stats })));
    },
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const give = async (path: string): Promise<void> => {
    await settled();
    giving.get(path)?.();
    await settled();
  };
  return { clock, paths, statfs, give, settled };
}

test("blocks are reported as bytes: all, those for users and those that are free", async () => {
  const { statfs, give } = asked();
  const answer = statfs("/a");
  await give("/a");
  expect(await answer).toEqual({
    device: "8:1",
    capacityBytes: 409_600,
    availableBytes: 122_880,
    freeBytes: 163_840,
    inodes: 50,
    inodesFree: 20,
  });
});

test("a file system that makes inodes as it needs them has no number of them", async () => {
  const { statfs, give } = asked({ files: 0, ffree: 0 });
  const answer = statfs("/a");
  await give("/a");
  expect(Object.keys(await answer)).toEqual(["device", "capacityBytes", "availableBytes", "freeBytes"]);
});

test("who asks for one path meanwhile gets the same answer; the next one asks again", async () => {
  const { statfs, paths, give } = asked();
  const both = [statfs("/a"), statfs("/a")];
  await give("/a");
  await Promise.all(both);
  expect(paths).toEqual(["/a"]);
  const next = statfs("/a");
  await give("/a");
  await next;
  expect(paths).toEqual(["/a", "/a"]);
});

test("two are asked at once, further ones wait", async () => {
  const { statfs, paths, give, settled } = asked();
  const all = ["/a", "/b", "/c"].map((path) => statfs(path));
  await settled();
  expect(paths).toEqual(["/a", "/b"]);
  await give("/b");
  expect(paths).toEqual(["/a", "/b", "/c"]);
  await give("/a");
  await give("/c");
  await Promise.all(all);
});

test("one that does not answer within 5 s is given up, with the reason", async () => {
  const { statfs, clock, settled } = asked();
  const refused = expect(statfs("/nfs")).rejects.toMatchObject({
    code: "HOST_UNAVAILABLE",
    message: expect.stringContaining(
      "The file system of /nfs did not report its size within 5 s; a network file system whose server is gone hangs so",
    ),
  });
  await settled();
  await clock.advance(5_000);
  await refused;
});

test.each([
  [0, 0],
  [8, 1],
  [259, 1_048_575],
  [4_095, 255],
  [4_096, 256],
  [0xffff_ffff, 0xffff_ffff],
])("%d:%d is found in glibc's number of it", (major, minor) => {
  const [high, low] = [BigInt(major), BigInt(minor)];
  const makedev =
    ((high & 0xfffff000n) << 32n) | ((high & 0xfffn) << 8n) | ((low & 0xffffff00n) << 12n) | (low & 0xffn);
  expect(deviceName(makedev)).toBe(`${major}:${minor}`);
});

/** What the lines of /proc/self/mountinfo say, and which mount a path lies on. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "@jest/globals";
import { covers, mountOf, mountsBelow, mountTable, parseMountinfo } from "../../../src/files/mountinfo.js";

const LINES = [
  "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro",
  "30 22 0:26 / /sys/fs/cgroup ro,nosuid,nodev,noexec - tmpfs tmpfs ro,mode=755",
  "41 22 8:17 /a /srv/my\\040disk\\134\\011x rw,nodev master:1 propagate_from:2 - xfs /dev/sdb1 rw",
  "42 22 8:18 / /srv rw -",
  "cut off",
  "",
].join("\n");

test("a mount has its place with its blanks, its type, device and what it forbids; lines that are not whole are left out", () => {
  expect(parseMountinfo(LINES)).toEqual([
    {
      mountPoint: "/",
      type: "ext4",
      readonly: false,
      flags: [],
      device: "8:1",
      superOptions: ["rw", "errors=remount-ro"],
    },
    {
      mountPoint: "/sys/fs/cgroup",
      type: "tmpfs",
      readonly: true,
      flags: ["ro", "nosuid", "nodev", "noexec"],
      device: "0:26",
      superOptions: ["ro", "mode=755"],
    },
    {
      mountPoint: "/srv/my disk\\\tx",
      type: "xfs",
      readonly: false,
      flags: ["nodev"],
      device: "8:17",
      superOptions: ["rw"],
    },
  ]);
});

test("a mount without options of its file system has none", () => {
  expect(parseMountinfo("22 1 8:1 / / rw - ext4 /dev/sda1")[0]?.superOptions).toEqual([]);
});

const mounts = ["/", "/data", "/data/inner", "/database", "/data"].map((mountPoint, at) => ({
  ...(parseMountinfo(LINES)[0] as ReturnType<typeof parseMountinfo>[number]),
  mountPoint,
  device: `0:${at}`,
}));

test.each([
  ["/home", "0:0"],
  ["/", "0:0"],
  ["/data", "0:4"],
  ["/data/x", "0:4"],
  ["/data/inner", "0:2"],
  ["/data/inner/x", "0:2"],
  ["/database/x", "0:3"],
  ["/datab", "0:0"],
])("%s lies on the mount %s: the innermost, of several on one place the last", (path, device) => {
  expect(mountOf(mounts, path)?.device).toBe(device);
});

test("where nothing is mounted a path lies on nothing", () => expect(mountOf([], "/a")).toBeUndefined());

test.each([
  ["/", ["/data", "/data/inner", "/database"]],
  ["/data", ["/data/inner"]],
  ["/data/inner", []],
  ["/dat", []],
])("below %s are mounted %j, each place once", (path, below) => {
  expect(mountsBelow(mounts, path).map(({ mountPoint }) => mountPoint)).toEqual(below);
});

test("of several mounts on one place below, the last counts", () => {
  expect(mountsBelow(mounts, "/").find(({ mountPoint }) => mountPoint === "/data")?.device).toBe("0:4");
});

test.each([
  ["/", "/a", true],
  ["/a", "/a", true],
  ["/a", "/a/b", true],
  ["/a", "/ab", false],
  ["/a/b", "/a", false],
])("%s covers %s: %s", (at, path, isCovered) => expect(covers(at, path)).toBe(isCovered));

test("of a text that is read again only new lines are parsed, and mounts that are gone are not kept", () => {
  const before = mountTable("22 1 8:1 / / rw - ext4 /dev/sda1\n23 22 0:5 / /a rw - tmpfs t");
  const after = mountTable("22 1 8:1 / / rw - ext4 /dev/sda1\n24 22 0:6 / /b rw - tmpfs t", before);
  expect([...after.values()].map(({ mountPoint }) => mountPoint)).toEqual(["/", "/b"]);
  expect([...after.values()][0]).toBe([...before.values()][0]);
});

test("a mount that is known from before does not keep the text it came from", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const lines = Array.from(
    { length: 1_000 },
    (_, at) => `${at} 1 8:1 / /var/lib/hooklet/pods/${at}/volumes rw,${"x".repeat(100)} - ext4 /dev/sda1`,
  );
  let table = mountTable("");
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  // 200 texts of about 130 KB, each with one mount more.
  for (let more = 800; more < 1_000; more++) table = mountTable(lines.slice(0, more).join("\n"), table);
  expect(table.size).toBe(999);
  expect((used() - before) / 2 ** 20).toBeLessThan(8);
});

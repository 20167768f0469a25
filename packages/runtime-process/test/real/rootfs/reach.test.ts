/** Which mounts get the flags of what is mounted above them: all but unreachable ones. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseMountinfo } from "@hooklet/linux";
import { expect, test } from "@jest/globals";
import { reachOf } from "../../../src/rootfs/reach.js";
import { isRoot } from "../../harness.js";

const mounts = parseMountinfo(`20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
21 20 0:40 / /mnt/nfs rw - nfs4 server:/x rw
22 21 0:41 / /mnt/nfs/local rw - tmpfs tmpfs rw`);

interface World {
  readonly closed: readonly string[];
  readonly own?: readonly string[];
}

/** Closed folders keep everybody out of what lies below them. */
const doorsOf = ({ closed, own = [] }: World, asked: string[] = []) => ({
  isOpen: (folder: string) => {
    asked.push(folder);
    return !closed.some((one) => folder === one || folder.startsWith(`${one}/`));
  },
  isOwn: (folder: string) => own.includes(folder),
});

test.each<[string, string, World, boolean]>([
  ["an open folder", "/srv/data/disk", { closed: [] }, true],
  ["another user's closed directory", "/var/lib/docker/overlay2/a/merged", { closed: ["/var/lib/docker"] }, false],
  [
    "the user's own closed folder: root in its namespace passes",
    "/home/me/x/y",
    { closed: ["/home/me"], own: ["/home/me"] },
    true,
  ],
  [
    "a folder of its own behind another user's closed one",
    "/root/me/x",
    { closed: ["/root"], own: ["/root/me"] },
    false,
  ],
  ["the machine's top folder", "/disk", { closed: [] }, true],
])("in a user namespace, a mount behind %s", (_name, mountPoint, world, reached) => {
  expect(reachOf(mounts, { userNamespace: true }, doorsOf(world))(mountPoint)).toBe(reached);
});

test("as root every mount gets its flags, behind closed folders too, and no file system is accessed", () => {
  const asked: string[] = [];
  expect(reachOf(mounts, { userNamespace: false }, doorsOf({ closed: ["/var"] }, asked))("/var/lib/x")).toBe(true);
  expect(asked).toEqual([]);
});

test.each(["/mnt/nfs/local", "/mnt/nfs/local/below"])("what may hang is not asked: %s lies on it", (mountPoint) => {
  const asked: string[] = [];
  expect(reachOf(mounts, { userNamespace: true }, doorsOf({ closed: ["/mnt"] }, asked))(mountPoint)).toBe(true);
  expect(asked).toEqual([]);
});

test("a remote root of the machine is asked like any: if that hangs, so does the agent", () => {
  const remote = parseMountinfo("20 1 0:20 / / rw - nfs4 server:/root rw");
  const reaches = reachOf(remote, { userNamespace: true }, doorsOf({ closed: ["/srv"] }));
  expect(["/srv/x", "/mnt/x", "/disk"].map(reaches)).toEqual([false, true, true]);
});

test("the mount itself may be one that hangs: its folder is asked, not it", () => {
  const asked: string[] = [];
  reachOf(mounts, { userNamespace: true }, doorsOf({ closed: [] }, asked))("/mnt/nfs");
  expect(asked).toEqual(["/mnt"]);
});

test("only a closed folder counts on a real machine: a missing folder, a file in its place, a name that is too long do not", () => {
  const reaches = reachOf([], { userNamespace: true });
  expect(["/gone/x/y", "/proc/self/exe/x/y", `/${"a".repeat(300)}/x`].map(reaches)).toEqual([true, true, true]);
});

(isRoot ? test.skip : test)("an ordinary user's own closed folder counts as open, root's as closed", () => {
  const folder = mkdtempSync(join(tmpdir(), "hooklet-reach-"));
  try {
    mkdirSync(join(folder, "own/inner"), { recursive: true });
    chmodSync(join(folder, "own"), 0);
    const reaches = reachOf([], { userNamespace: true });
    expect(reaches(join(folder, "own/inner/x"))).toBe(true);
    expect(reaches("/proc/1/fd/x")).toBe(false);
  } finally {
    chmodSync(join(folder, "own"), 0o700);
    rmSync(folder, { recursive: true, force: true });
  }
});

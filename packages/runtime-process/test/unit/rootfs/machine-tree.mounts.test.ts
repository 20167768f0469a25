/** Which file systems of the machine a container of image `host` sees. */
import { parseMountinfo } from "@hooklet/linux";
import { expect, test } from "@jest/globals";
import { machineMounts } from "../../../src/rootfs/machine-tree.js";

const mounts = (...all: readonly (readonly [at: string, type: string])[]) =>
  machineMounts(parseMountinfo(all.map(([at, type]) => `20 1 8:1 / ${at} rw - ${type} /dev/x rw`).join("\n")));

test.each(["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs"])(
  "a disk of type %s is there, below a layer to write to",
  (type) => {
    expect(mounts(["/data", type])).toEqual([{ at: "/data", overlay: true }]);
  },
);

test.each([
  ...["9p", "ceph", "cifs", "exfat", "fuseblk", "iso9660", "nfs", "nfs4", "ntfs3", "smb3", "squashfs", "vfat"],
  ...["virtiofs", "zfs"],
])("a file system of type %s is there, read-only", (type) => {
  expect(mounts(["/data", type])).toEqual([{ at: "/data", overlay: false }]);
});

test("a disk at a path that no overlay can have is there, read-only", () => {
  expect(mounts(["/a:b", "ext4"])).toEqual([{ at: "/a:b", overlay: false }]);
});

test.each([
  ["/", "ext4"],
  ["/proc", "ext4"],
  ["/sys", "ext4"],
  ["/dev", "ext4"],
  ["/run", "ext4"],
  ["/run/media/disk", "ext4"],
  ["/dev/x", "ext4"],
  ["/tmp/x", "ext4"],
  ["/var/tmp/x", "ext4"],
  ["/data", "tmpfs"],
  ["/data", "proc"],
])("%s of type %s is not there", (at, type) => expect(mounts([at, type])).toEqual([]));

test("the container's own folders are those alone, and others may begin alike", () => {
  expect(mounts(["/tmp", "ext4"], ["/devices", "ext4"], ["/var/tmp", "ext4"]).map(({ at }) => at)).toEqual([
    "/tmp",
    "/devices",
    "/var/tmp",
  ]);
});

test("the last of several at one place counts; upper places come first", () => {
  expect(mounts(["/a/b/c", "xfs"], ["/a", "ext4"], ["/a/b", "nfs"], ["/a", "nfs"], ["/z", "tmpfs"])).toEqual([
    { at: "/a", overlay: false },
    { at: "/a/b", overlay: false },
    { at: "/a/b/c", overlay: true },
  ]);
});

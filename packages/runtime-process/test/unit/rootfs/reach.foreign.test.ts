/** What /proc/self/mountinfo says, and which mounts may hang. */

import { covers, mountOf, mountsBelow, parseMountinfo } from "@hooklet/linux";
import { describe, expect, test } from "@jest/globals";
import { foreignPath, isBehindRemote, isOwnPath } from "../../../src/rootfs/reach.js";

const line = (at: string, type = "ext4", device = "8:1", flags = "rw,relatime") =>
  `20 1 ${device} / ${at} ${flags} shared:1 - ${type} /dev/x rw,seclabel`;
const mounted = (...lines: readonly string[]) => parseMountinfo(lines.join("\n"));

describe("a line of mountinfo", () => {
  test("has the mount point, the root, the device, and the flags", () => {
    expect(mounted(line("/data", "xfs", "8:2", "ro,nosuid,nodev,noexec,relatime"))).toEqual([
      {
        mountPoint: "/data",
        type: "xfs",
        readonly: true,
        flags: ["ro", "nosuid", "nodev", "noexec"],
        device: "8:2",
        superOptions: ["rw", "seclabel"],
      },
    ]);
  });

  test("of a place that may be written forbids nothing", () => {
    expect(mounted(line("/"))[0]).toMatchObject({ readonly: false, flags: [] });
  });

  test("has spaces and the like of a path as numbers", () => {
    expect(mounted(line("/a\\040b\\134c\\012"))[0]?.mountPoint).toBe("/a b\\c\n");
  });

  test("an incomplete line is skipped, one without options of the file system has none", () => {
    expect(parseMountinfo("\nnonsense\n1 2 3 4 5 6\n")).toEqual([]);
    expect(parseMountinfo("1 2 0:1 / /x rw - tmpfs")).toMatchObject([{ mountPoint: "/x", superOptions: [] }]);
  });
});

describe("where a path lies", () => {
  const mounts = mounted(line("/", "ext4", "8:1"), line("/data", "ext4", "8:2"), line("/data/deep", "ext4", "8:3"));

  test("is on the deepest mount above it, in any order of creation", () => {
    const paths = ["/", "/x", "/data", "/database", "/data/x", "/data/deep/x"];
    for (const all of [mounts, mounts.toReversed()]) {
      expect(paths.map((path) => mountOf(all, path)?.device)).toEqual(["8:1", "8:1", "8:2", "8:1", "8:2", "8:3"]);
    }
    expect(mountOf([], "/x")).toBeUndefined();
  });

  test("what is mounted below it does not hold the place itself, nor the root", () => {
    expect(mountsBelow(mounts, "/data").map(({ mountPoint }) => mountPoint)).toEqual(["/data/deep"]);
    expect(mountsBelow(mounts, "/").map(({ mountPoint }) => mountPoint)).toEqual(["/data", "/data/deep"]);
    expect(mountsBelow(mounts, "/dat")).toEqual([]);
  });

  test("a place covers itself and what is below it, and no other name that begins alike", () => {
    expect([
      covers("/a", "/a"),
      covers("/a", "/a/b"),
      covers("/a", "/ab"),
      covers("/a/b", "/a"),
      covers("/", "/x"),
    ]).toEqual([true, true, false, false, true]);
  });
});

describe("a path may hang", () => {
  const nfs = mounted(line("/"), line("/net", "nfs4", "0:9"), line("/local", "ext4", "8:2"));

  test("where a file system of elsewhere is crossed on the way to it", () => {
    expect(["/net", "/net/x", "/network", "/local/x", "/"].map((path) => isBehindRemote(nfs, path))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test.each([
    "9p",
    "afs",
    "autofs",
    "ceph",
    "cifs",
    "fuse",
    "fuse.sshfs",
    "fuseblk",
    "fusectl",
    "nfs",
    "smb3",
    "virtiofs",
  ])("%s is of elsewhere", (type) => expect(isBehindRemote(mounted(line("/net", type)), "/net/x")).toBe(true));

  test.each(["ext4", "tmpfs", "overlay", "xnfs", "nfsd", "nfs5", "fusex", "btrfs"])("%s is not", (type) =>
    expect(isBehindRemote(mounted(line("/net", type)), "/net/x")).toBe(false),
  );

  test("the machine's root is not asked about: if that hangs, so does the agent", () => {
    expect(isBehindRemote(mounted(line("/", "nfs4")), "/x")).toBe(false);
  });
});

describe("a path of the agent's own", () => {
  const root = "/var/lib/hooklet";
  const mounts = mounted(
    line("/", "ext4", "8:1"),
    line(`${root}/memory`, "tmpfs", "0:5"),
    line(`${root}/disk`, "ext4", "8:2"),
  );

  test.each([
    { path: root, own: true },
    { path: `${root}/x`, own: true },
    { path: `${root}/memory/x`, own: true },
    { path: `${root}/disk/x`, own: false },
    { path: "/var/lib", own: false },
    { path: "/var/lib/hooklet2/x", own: false },
    { path: `${root}/a/../../x`, own: false },
    { path: `${root}/a/../b`, own: true },
  ])("$path: $own", ({ path, own }) => {
    expect(isOwnPath(mounts, root, path)).toBe(own);
  });

  test("is none where the mounts are unknown", () => {
    expect(isOwnPath([], root, `${root}/x`)).toBe(false);
  });
});

describe("a container is checked from outside for", () => {
  const mounts = mounted(line("/", "ext4", "8:1"), line("/net", "nfs4", "0:9"));
  const record = (hostPaths: readonly string[], rootfs?: string) =>
    ({
      config: { mounts: hostPaths.map((hostPath) => ({ hostPath })) },
      ...(rootfs !== undefined && { rootfs }),
    }) as never;
  const foreign = (one: never, shown: readonly string[] = ["/net"]) =>
    foreignPath(mounts, "/var/lib/hooklet", new Set(shown), one);

  test("the first volume that is not the agent's own", () => {
    expect(foreign(record(["/var/lib/hooklet/a", "/srv", "/opt"], "/r"))).toBe("/srv");
    expect(foreign(record(["/var/lib/hooklet/a"], "/r"))).toBeUndefined();
  });

  test("a file system of elsewhere that its image, the machine's own files, would show", () => {
    expect(foreign(record([]))).toBe("/net");
    expect(foreign(record([]), ["/"])).toBeUndefined();
    expect(foreign(record([], "/r"))).toBeUndefined();
  });
});

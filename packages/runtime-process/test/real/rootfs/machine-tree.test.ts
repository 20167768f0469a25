import { parseMountinfo } from "@hooklet/linux";
import { expect, test } from "@jest/globals";
import { machineMounts } from "../../../src/rootfs/machine-tree.js";

function shown(...mounts: readonly (readonly [at: string, type: string])[]): string[] {
  const lines = mounts.map(([at, type], i) => `${i} 1 0:${i} / ${at} rw,relatime - ${type} /dev/x rw`);
  return machineMounts(parseMountinfo(lines.join("\n"))).map(
    ({ at, overlay }) => `${at} ${overlay ? "layer" : "read-only"}`,
  );
}

test("disks are shown through a layer, file systems of the network read-only, parents first", () => {
  expect(shown(["/", "ext4"], ["/srv/data/deep", "xfs"], ["/home", "nfs4"], ["/srv", "btrfs"])).toEqual([
    "/home read-only",
    "/srv layer",
    "/srv/data/deep layer",
  ]);
});

test("the kernel's file systems and the containers' private ones are left out", () => {
  expect(shown(["/proc", "proc"], ["/run/user/0", "ext4"], ["/dev", "ext4"], ["/srv", "tmpfs"])).toEqual([]);
});

test("what other programs mount below /tmp may have gone a moment later and is not shown", () => {
  expect(shown(["/tmp", "ext4"], ["/tmp/containerd-mount1", "ext4"], ["/var/tmp/x", "ext4"])).toEqual(["/tmp layer"]);
});

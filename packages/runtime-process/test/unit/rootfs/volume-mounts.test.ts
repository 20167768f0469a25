import { mountOf, mountsBelow, parseMountinfo } from "@hooklet/linux";
import { describe, expect, test } from "@jest/globals";
import { foreignPath, isOwnPath } from "../../../src/rootfs/reach.js";
import { type Reaches, readOnlyBelow, volumeMount } from "../../../src/rootfs/volume-mounts.js";

const mounts = parseMountinfo(`20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
21 20 8:2 / /data rw,noexec,relatime - ext4 /dev/sda2 rw
22 21 0:40 / /data/nfs ro,nosuid,relatime - nfs4 server:/x rw
23 20 0:41 / /mnt/auto rw - autofs systemd-1 rw
24 20 0:42 / /data/old rw - tmpfs tmpfs rw
25 20 0:43 / /data/old rw,nodev - tmpfs tmpfs rw
26 20 0:44 / /var/lib/hooklet/pods/u/volumes/fast rw - tmpfs tmpfs rw
27 20 0:40 / /var/lib/hooklet/pods/u/volume-subpaths/v/c/0 rw - nfs4 server:/x rw`);

const optionsOf = (real: string, readonly: boolean, privileged = false, reaches: Reaches = () => true) => {
  const how = { privileged, reaches };
  const { entry, below } = volumeMount(mounts, { readonly, propagation: "PRIVATE" }, real, "/c", how);
  return [entry.options.join(), ...below.map(({ target, options }) => `${target} ${options.join()}`)];
};

describe("how a volume is mounted", () => {
  test.each([
    ["a folder of the root disk", "/srv", false, false, ["rbind,rprivate,nosuid,nodev"]],
    ["read-only", "/srv", true, false, ["rbind,rprivate,nosuid,nodev,ro"]],
    ["into a privileged container", "/srv", false, true, ["rbind,rprivate"]],
    [
      "with mounts below it, each keeping what it forbids",
      "/data",
      true,
      false,
      [
        "rbind,rprivate,noexec,nosuid,nodev,ro",
        "/c/nfs remount,bind,ro,nosuid,nodev",
        "/c/old remount,bind,nodev,nosuid,ro",
      ],
    ],
    ["of a file system that is read-only itself", "/data/nfs/x", false, false, ["rbind,rprivate,ro,nosuid,nodev"]],
    ["with an automounter below it, which is not woken", "/mnt", true, false, ["rbind,rprivate,nosuid,nodev,ro"]],
  ])("%s", (_name, real, readonly, privileged, options) => {
    expect(optionsOf(real, readonly, privileged)).toEqual(options);
  });

  test("mounts behind a folder that is closed for the agent's user stay as they are: no container reaches them", () => {
    expect(optionsOf("/data", true, false, (mountPoint) => mountPoint !== "/data/old")).toEqual([
      "rbind,rprivate,noexec,nosuid,nodev,ro",
      "/c/nfs remount,bind,ro,nosuid,nodev",
    ]);
  });

  test("a volume that shares what is mounted later stays shared", () => {
    const how = { privileged: true, reaches: () => true };
    const optionsWith = (propagation: "PRIVATE" | "HOST_TO_CONTAINER" | "BIDIRECTIONAL") =>
      volumeMount(mounts, { readonly: false, propagation }, "/srv", "/c", how).entry.options;
    expect([optionsWith("PRIVATE"), optionsWith("HOST_TO_CONTAINER"), optionsWith("BIDIRECTIONAL")]).toEqual([
      ["rbind", "rprivate"],
      ["rbind"],
      ["rbind"],
    ]);
  });

  test("into a privileged container, with what lies below it as it is", () => {
    expect(optionsOf("/data", false, true)).toEqual(["rbind,rprivate,noexec"]);
    expect(optionsOf("/data", true, true).slice(1)).toEqual([
      "/c/nfs remount,bind,ro,nosuid",
      "/c/old remount,bind,nodev,ro",
    ]);
  });

  test("the machine's whole root has no additional flags where the mounts are unknown", () => {
    const how = { privileged: true, reaches: () => true };
    expect(volumeMount([], { readonly: true, propagation: "PRIVATE" }, "/", "/c", how)).toMatchObject({
      flags: ["ro"],
      below: [],
    });
  });

  test("what lies below a folder that is shown read-only is read-only, the root's whole tree too", () => {
    const shown = (real: string) =>
      readOnlyBelow(mounts, real, "/c", (mountPoint) => !mountPoint.startsWith("/var")).map(
        ({ target, options }) => `${target} ${options.join()}`,
      );
    expect(shown("/data")).toEqual(["/c/nfs remount,bind,ro,nosuid", "/c/old remount,bind,nodev,ro"]);
    expect(shown("/").map((line) => line.split(" ")[0])).toEqual(["/c/data", "/c/data/nfs", "/c/data/old"]);
  });

  test("of several mounts on one place the last is meant", () => {
    expect(mountOf(mounts, "/data/old/x")?.device).toBe("0:43");
    expect(mountsBelow(mounts, "/data").map(({ device }) => device)).toEqual(["0:40", "0:43"]);
    expect(mountOf(mounts, "/database")?.mountPoint).toBe("/");
  });
});

describe("what the agent checks itself", () => {
  const root = "/var/lib/hooklet";
  test.each([
    ["its own files", `${root}/pods/u/etc-hosts`, true],
    ["a volume of a pod, in which a mount may hang", `${root}/pods/u/volumes/fast/x`, false],
    ["a sub path of another pod's volume", `${root}/pods/u/volume-subpaths/v/c/0`, false],
    ["a hostPath", "/srv/data", false],
    ["a path that leaves its root dir", `${root}/../x`, false],
  ])("%s", (_name, path, own) => {
    expect(isOwnPath(mounts, root, path)).toBe(own);
  });

  test("a container of image host that would show a network file system is checked from outside", () => {
    const config = { config: { mounts: [] } } as never;
    expect(foreignPath(mounts, root, new Set(["/", "/data/nfs"]), config)).toBe("/data/nfs");
    expect(foreignPath(mounts, root, new Set(["/", "/data"]), config)).toBeUndefined();
  });
});

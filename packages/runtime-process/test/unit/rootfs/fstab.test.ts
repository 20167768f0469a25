import { describe, expect, test } from "@jest/globals";
import { bind, encodeFstab, fitsOverlay, overlay, ownFs, rbind, reflag } from "../../../src/rootfs/fstab.js";

describe("lines for mount(8)", () => {
  test("are one for each mount, in order", () => {
    expect(
      encodeFstab([
        bind("/a", "/b", "ro"),
        rbind("/c", "/d"),
        reflag("/e", "ro", "nosuid"),
        ownFs("proc", "/proc", "nodev"),
      ]),
    ).toBe(
      [
        "/a /b none bind,ro 0 0\n",
        "/c /d none rbind 0 0\n",
        "none /e none remount,bind,ro,nosuid 0 0\n",
        "proc /proc proc nodev 0 0\n",
      ].join(""),
    );
    expect(encodeFstab([])).toBe("");
  });

  test("a path may hold what would end a field or a line, or begin a comment", () => {
    expect(encodeFstab([bind("/a b\tc", "/d\ne\rf\\g#h")])).toBe(
      "/a\\040b\\011c /d\\012e\\015f\\134g\\043h none bind 0 0\n",
    );
    expect(encodeFstab([ownFs("tmpfs", "/t", "size=1 x")])).toBe("tmpfs /t tmpfs size=1\\040x 0 0\n");
  });
});

describe("a layer over another folder", () => {
  const paths = { lower: "/l", upper: "/u", work: "/w", target: "/t" };
  const optionsOf = (style: Parameters<typeof overlay>[1]) => overlay(paths, style).options.slice(3);

  test("has its three folders", () => {
    const { options, ...rest } = overlay(paths, { userNamespace: false, volatileLayers: false });
    expect(rest).toEqual({ source: "overlay", target: "/t", type: "overlay" });
    expect(options).toEqual(["lowerdir=/l", "upperdir=/u", "workdir=/w"]);
  });

  test.each([
    { name: "is not written back", style: { userNamespace: false, volatileLayers: true }, options: ["volatile"] },
    { name: "of an ordinary user", style: { userNamespace: true, volatileLayers: false }, options: ["userxattr"] },
    {
      name: "in which device files mean nothing",
      style: { userNamespace: false, volatileLayers: false, withoutDevices: true },
      options: ["nodev"],
    },
    {
      name: "in which they mean something",
      style: { userNamespace: false, volatileLayers: false, withoutDevices: false },
      options: [],
    },
  ])("that $name", ({ style, options }) => {
    expect(optionsOf(style)).toEqual(options);
  });

  test("is made of paths that its options can hold", () => {
    const paths = ["/a,b", "/a:b", '/a"b', "/a'b", "/a\\b", "/a b#c", "/plain-1.2_x"];
    expect(paths.filter(fitsOverlay)).toEqual(["/a b#c", "/plain-1.2_x"]);
  });
});

/** Where a container's mounts go: what is made for them, and what is refused. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { copyLook, type MountPointKind, makeMountPoint } from "../../../src/rootfs/mount-points.js";
import { RootView } from "../../../src/rootfs/view.js";
import { isRoot } from "../../harness.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-points-"));
  for (const name of ["lower", "upper", "volume"]) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const makeFolder = (name: string, mode = 0o755): void => {
  mkdirSync(at(name), { recursive: true });
  chmodSync(at(name), mode);
};
const makeFile = (name: string): void => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), "kept");
};
/** The writable layer over the image's. */
const layered = () => new RootView([{ at: "/", lower: at("lower"), upper: at("upper") }]);
const upper = () => readdirSync(at("upper"), { recursive: true }).map(String).sort();
const kindOf = (name: string) => (lstatSync(at(name)).isDirectory() ? "directory" : "file");
const refused = (message: string) => expect.objectContaining({ code: "invalid-argument", message });

describe("a place that is there", () => {
  test.each<{ kind: MountPointKind; make: (name: string) => void }>([
    { kind: "directory", make: makeFolder },
    { kind: "file", make: makeFile },
  ])("is used as it is: a $kind", ({ kind, make }) => {
    make("lower/srv/place");
    expect(makeMountPoint(layered(), "/srv/place", kind)).toBe("/srv/place");
    expect(upper()).toEqual([]);
  });

  test("is found behind links, within the root", () => {
    makeFolder("lower/real");
    symlinkSync("/real", at("lower/link"));
    expect(makeMountPoint(layered(), "/link/../link", "directory")).toBe("/real");
  });

  test.each<{ kind: MountPointKind; make: (name: string) => void; found: string }>([
    { kind: "directory", make: makeFile, found: "file" },
    { kind: "file", make: makeFolder, found: "directory" },
  ])("and is a $found is no place for a $kind", ({ kind, make, found }) => {
    make("lower/place");
    expect(() => makeMountPoint(layered(), "/place", kind)).toThrow(
      refused(`cannot mount on /place: expected a ${kind} there as on the node, found a ${found}`),
    );
  });

  test.each([
    { who: "the group", mode: 0o775 },
    { who: "all", mode: 0o757 },
  ])(
    "in a folder that $who may write is hidden by a folder of the container's own: no link can get in the way",
    ({ mode }) => {
      makeFolder("lower/open", mode);
      makeFolder("lower/open/dir");
      makeFile("lower/open/file");
      makeMountPoint(layered(), "/open/dir", "directory");
      expect(upper()).toEqual(["open", "open/dir"]);
      expect(lstatSync(at("upper/open")).mode & 0o777).toBe(mode);
      rmSync(at("upper/open"), { recursive: true });
      makeMountPoint(layered(), "/open/file", "file");
      expect(upper()).toEqual(["open"]);
    },
  );

  test("far below a folder that others may write is hidden as well", () => {
    makeFolder("lower/open", 0o777);
    makeFolder("lower/open/a/b");
    makeMountPoint(layered(), "/open/a/b", "directory");
    expect(upper()).toEqual(["open", "open/a", "open/a/b"]);
  });

  (isRoot ? test : test.skip)("below another user's folder is hidden as well", () => {
    makeFolder("lower/home");
    makeFolder("lower/home/x");
    chownSync(at("lower/home"), 1_000, 1_000);
    makeMountPoint(layered(), "/home/x", "directory");
    expect(upper()).toEqual(["home", "home/x"]);
    const { uid, gid } = lstatSync(at("upper/home"));
    expect([uid, gid]).toEqual([1_000, 1_000]);
  });
});

describe("a place that is missing", () => {
  test.each<{ kind: MountPointKind }>([{ kind: "directory" }, { kind: "file" }])(
    "is made in the container's own layer, as a $kind",
    ({ kind }) => {
      makeFolder("lower/etc", 0o751);
      expect(makeMountPoint(layered(), "/etc/a/b", kind)).toBe("/etc/a/b");
      expect(upper()).toEqual(["etc", "etc/a", "etc/a/b"]);
      expect([kindOf("upper/etc/a"), kindOf("upper/etc/a/b")]).toEqual(["directory", kind]);
      // A parent looks as the image has it.
      expect([lstatSync(at("upper/etc")).mode & 0o777, lstatSync(at("upper/etc/a")).mode & 0o777]).toEqual([
        0o751, 0o755,
      ]);
      expect(readdirSync(at("lower/etc"))).toEqual([]);
    },
  );

  test("is made in the volume that covers it", () => {
    const view = layered();
    makeFolder("upper/data");
    view.mount("/data", at("volume"));
    expect(makeMountPoint(view, "/data/a/file", "file")).toBe("/data/a/file");
    expect([kindOf("volume/a"), kindOf("volume/a/file"), upper()]).toEqual(["directory", "file", ["data"]]);
  });

  test("is seen once it is made: results are kept", () => {
    const view = layered();
    makeMountPoint(view, "/a/b", "directory");
    expect(view.resolve("/a/b").host).toBe(at("upper/a/b"));
  });

  test("cannot be made where the container has no layer of its own: that would change the node", () => {
    const view = new RootView([{ at: "/", lower: at("lower") }]);
    expect(() => makeMountPoint(view, "/a/b", "directory")).toThrow(
      refused(
        "cannot mount on /a/b: it is not there, and nothing can be made below / without changing the node; mount elsewhere",
      ),
    );
    expect(readdirSync(at("lower"))).toEqual([]);
  });

  test("cannot be made below a file", () => {
    makeFile("upper/file");
    expect(() => makeMountPoint(layered(), "/file/a", "directory")).toThrow(
      refused("cannot mount on /file/a: expected a directory at file, found something else"),
    );
    expect(readFileSync(at("upper/file"), "utf8")).toBe("kept");
  });
});

test("a folder gets the mode of the one that it hides; what is no folder has no look to copy", () => {
  makeFolder("upper/a", 0o700);
  makeFolder("lower/a", 0o2771);
  makeFile("lower/file");
  copyLook(at("upper/a"), undefined);
  copyLook(at("upper/a"), lstatSync(at("lower/file")));
  expect(lstatSync(at("upper/a")).mode & 0o7777).toBe(0o700);
  copyLook(at("upper/a"), lstatSync(at("lower/a")));
  expect(lstatSync(at("upper/a")).mode & 0o7777).toBe(0o2771);
  expect(existsSync(at("upper/file"))).toBe(false);
});

import { existsSync, statSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ProcessRuntimeOptions } from "../../../src/options.js";
import { needSkopeo } from "../../../src/pull/pull.js";
import { isRoot, openRuntime } from "../../harness.js";
import { dockerArchive, type ImageParts, type Member, ociArchive, sha256, tar } from "./archives.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "hooklet-image-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const runtime = (options: Partial<ProcessRuntimeOptions> = {}) => openRuntime(join(directory, "state"), options);
const file = () => join(directory, "image.tar");

/** Imports layers and returns the image's root directory. */
async function imported(
  layers: ImageParts["layers"],
  options: Partial<ProcessRuntimeOptions> = {},
  name = "test:1",
): Promise<string> {
  await dockerArchive(file(), { layers });
  const id = await runtime(options).importImage(name, file());
  return join(directory, "state/runtime-process/images", id.slice(7), "rootfs");
}

const f = (name: string, text: string): Member => ({ name, text, mode: 0o644 });

describe("what is imported", () => {
  const config = {
    Env: ["A=1"],
    Entrypoint: ["/bin/app"],
    Cmd: ["--help"],
    WorkingDir: "/srv",
    User: "app:staff",
    StopSignal: "SIGQUIT",
  };

  test.each([
    ["docker save", dockerArchive, false],
    ["OCI layout", ociArchive, false],
    ["OCI layout with gzipped layers", ociArchive, true],
  ])("%s: known by name and by id, listed, found by another process at once", async (_name, write, gzip) => {
    await write(file(), { layers: [[f("etc/motd", "hello")]], config, gzip });
    const id = await runtime().importImage("team/web", file());
    expect(id).toMatch(/^sha256:[0-9a-f]{64}$/);
    const status = await runtime().imageStatus("docker.io/team/web:latest");
    expect(status).toMatchObject({ id, repoTags: ["docker.io/team/web:latest"], username: "app", pinned: false });
    expect(status?.size).toBeGreaterThan(0);
    expect((await runtime().listImages()).map((image) => image.id)).toEqual(["host", id]);
    expect(await runtime().pullImage(id)).toBe(id);
  });

  test("a name goes over to the image that was imported last; the old one stays under its id", async () => {
    await dockerArchive(file(), { layers: [[f("a", "1")]] });
    const first = await runtime().importImage("web", file());
    await dockerArchive(file(), { layers: [[f("a", "2")]] });
    const second = await runtime().importImage("web", file());
    expect((await runtime().imageStatus("web"))?.id).toBe(second);
    expect((await runtime().imageStatus(first))?.repoTags).toEqual([]);
  });

  test("a directory is copied with its links, modes and times", async () => {
    const source = join(directory, "root");
    await mkdir(join(source, "bin"), { recursive: true });
    await writeFile(join(source, "bin/tool"), "x", { mode: 0o755 });
    await symlink("/etc/passwd", join(source, "link"));
    const id = await runtime().importImage("dir", source);
    const root = join(directory, "state/runtime-process/images", id.slice(7), "rootfs");
    expect(statSync(join(root, "bin/tool")).mode & 0o777).toBe(0o755);
    expect((await lstat(join(root, "link"))).isSymbolicLink()).toBe(true);
    expect(await runtime().importImage("dir2", source)).toBe(id);
  });
});

describe("layers", () => {
  test("a whiteout hides what lower layers have", async () => {
    const root = await imported([[f("etc/a", "a"), f("etc/b", "b")], [f("etc/.wh.a", "")]]);
    expect(await readdir(join(root, "etc"))).toEqual(["b"]);
  });

  test("an opaque folder keeps what its own layer brings, before the mark and after", async () => {
    const root = await imported([
      [f("d/old", "x"), f("d/sub/old", "x")],
      [f("d/before", "1"), f("d/sub/new", "1"), f("d/.wh..wh..opq", ""), f("d/after", "1")],
    ]);
    expect((await readdir(join(root, "d"))).sort()).toEqual(["after", "before", "sub"]);
    expect(await readdir(join(root, "d/sub"))).toEqual(["new"]);
  });

  test("a file takes the place of a folder, and a folder that of a link", async () => {
    const root = await imported([
      [f("x/inside", "1"), { name: "y", type: "symlink", linkname: "/etc" }],
      [f("x", "now a file"), { name: "y", type: "directory" }, f("y/z", "1")],
    ]);
    expect(await readFile(join(root, "x"), "utf8")).toBe("now a file");
    expect((await lstat(join(root, "y"))).isDirectory()).toBe(true);
  });

  test("images with a layer in common have its files in common, whatever the layers above do to them", async () => {
    const mtime = new Date(0);
    const base = [f("etc/a", "base"), f("etc/b", "base")].map((member) => ({ ...member, mtime }));
    const roots: string[] = [];
    const tops = [
      [f("top", "1")],
      [f("etc/.wh.a", ""), f("etc/b", "2"), { name: "c", type: "link" as const, linkname: "etc/b" }],
    ];
    for (const top of tops) roots.push(await imported([base, top], {}, `test:${roots.length}`));
    const [first = "", second = ""] = roots;
    expect(await readFile(join(first, "etc/b"), "utf8")).toBe("base");
    expect((await readdir(join(second, "etc"))).sort()).toEqual(["b"]);
    expect(await readFile(join(second, "c"), "utf8")).toBe("2");
    const third = await imported([base], {}, "test:2");
    expect(statSync(join(third, "etc/a")).ino).toBe(statSync(join(first, "etc/a")).ino);
    const { usedBytes } = await runtime().imageFsInfo();
    await runtime().removeImage("test:2");
    expect((await runtime().imageFsInfo()).usedBytes).toBe(usedBytes);
    await runtime().removeImage("test:0");
    expect((await runtime().imageFsInfo()).usedBytes).toBeLessThan(usedBytes);
    expect(await readFile(join(await imported([base], {}, "test:3"), "etc/a"), "utf8")).toBe("base");
  });

  (isRoot ? test : test.skip)("owners and setuid bits are kept", async () => {
    const root = await imported([[{ name: "su", text: "", mode: 0o4755, uid: 12, gid: 34 }]]);
    const stat = statSync(join(root, "su"));
    expect([stat.uid, stat.gid, stat.mode & 0o7777]).toEqual([12, 34, 0o4755]);
  });
});

describe("hostile archives", () => {
  test.each<[string, Member[], RegExp]>([
    ["a name with ..", [f("../outside", "x")], /leaves the image's root/],
    ["a name with .. in the middle", [f("a/../../outside", "x")], /leaves the image's root/],
    [
      "a hard link out of the root",
      [{ name: "l", type: "link", linkname: "../../outside" }],
      /leaves the image's root/,
    ],
    ["a hard link to nothing", [{ name: "l", type: "link", linkname: "/etc/hostname" }], /no file in the image/],
    ["a whiteout of ..", [f("a/.wh...", "")], /whiteout of nothing/],
    ["a file below a file", [f("a", "1"), f("a/b", "2")], /no directory/],
  ])("%s is refused, naming the entry, and nothing is left", async (_name, members, message) => {
    await dockerArchive(file(), { layers: [members] });
    await expect(runtime().importImage("bad", file())).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(message) as unknown,
    });
    expect(await runtime().imageStatus("bad")).toBeUndefined();
    expect(await readdir(join(directory, "state/runtime-process/image-temp"))).toEqual([]);
  });

  test("an absolute name lies in the root", async () => {
    const root = await imported([[f("/etc/hooklet-absolute", "in")]]);
    expect(existsSync("/etc/hooklet-absolute")).toBe(false);
    expect(await readFile(join(root, "etc/hooklet-absolute"), "utf8")).toBe("in");
  });

  test("a file written through a link stays in the root", async () => {
    const outside = join(directory, "outside");
    await mkdir(outside);
    const root = await imported([
      [{ name: "abs", type: "symlink", linkname: outside }, f("abs/f", "1")],
      [{ name: "up", type: "symlink", linkname: "../../../../../../../.." }, f("up/g", "2")],
    ]);
    expect(await readdir(outside)).toEqual([]);
    expect(await readFile(join(root, outside, "f"), "utf8")).toBe("1");
    expect(await readFile(join(root, "g"), "utf8")).toBe("2");
  });

  test.each<[string, (outside: string) => Member[]]>([
    ["a file", () => [f("a/keep", "2")]],
    ["a whiteout", () => [f("a/.wh.keep", "")]],
    ["an opaque mark", () => [f("a/.wh..wh..opq", "")]],
  ])("%s below a folder that became a link touches nothing outside", async (_name, then) => {
    const outside = join(directory, "precious");
    await mkdir(outside);
    await writeFile(join(outside, "keep"), "1");
    for (const [index, first] of [
      [f("a/x", "1")],
      [{ name: "a", type: "directory" } as Member, f("a/x", "1")],
    ].entries()) {
      await dockerArchive(file(), {
        layers: [[...first, { name: "a", type: "symlink", linkname: outside }, ...then(outside)]],
      });
      await runtime().importImage(`swapped-${index}`, file());
      expect(await readFile(join(outside, "keep"), "utf8")).toBe("1");
    }
  });

  test("a whiteout through a link deletes nothing outside", async () => {
    const outside = join(directory, "precious");
    await mkdir(outside);
    await writeFile(join(outside, "keep"), "");
    await imported([[{ name: "l", type: "symlink", linkname: outside }, f("l/.wh.keep", "")]]);
    expect(existsSync(join(outside, "keep"))).toBe(true);
  });

  test("devices and pipes are left out", async () => {
    const root = await imported([[{ name: "sda", type: "block-device", devmajor: 8, devminor: 0 }, f("ok", "1")]]);
    expect(await readdir(root)).toEqual(["ok"]);
  });

  test.each([
    ["bytes", { maxImageBytes: 4096 }, [f("big", "x".repeat(8192))], /more than 4096 bytes/],
    ["files", { maxImageEntries: 4 }, ["a", "b", "c", "d", "e"].map((name) => f(name, "")), /more than 4 files/],
  ])("too many %s are refused", async (_name, options, members, message) => {
    await expect(imported([members], options)).rejects.toThrow(message);
  });

  test("a layer that does not match its digest is refused", async () => {
    await ociArchive(file(), { layers: [[f("a", "1")]] });
    const bytes = await readFile(file());
    // The header of the member, not a digest that happens to end in "a".
    let at = 0;
    while (bytes.toString("latin1", at, at + 3) !== "a\0\0") at += 512;
    bytes.writeUInt8("b".charCodeAt(0), at);
    await writeFile(file(), bytes);
    await expect(runtime().importImage("bad", file())).rejects.toThrow(/damaged/);
  });

  test.each([
    ["no tar at all", Buffer.from("hello")],
    ["a cut tar", undefined],
    ["a tar without a manifest", "plain"],
    ["an empty file", Buffer.alloc(0)],
  ])("%s is refused with a clear error", async (_name, content) => {
    if (content === undefined) {
      await dockerArchive(file(), { layers: [[f("a", "x".repeat(5000))]] });
      await writeFile(file(), (await readFile(file())).subarray(0, 3000));
    } else await writeFile(file(), content === "plain" ? await tar([f("a", "1")]) : content);
    await expect(runtime().importImage("bad", file())).rejects.toMatchObject({
      name: "RuntimeError",
      code: "invalid-argument",
    });
  });
});

describe("names", () => {
  test("host cannot be imported over, nor removed", async () => {
    await dockerArchive(file(), { layers: [[]] });
    await expect(runtime().importImage("host", file())).rejects.toMatchObject({ code: "invalid-image-name" });
    await expect(runtime().removeImage("host")).rejects.toMatchObject({ code: "failed-precondition" });
  });

  test("where nothing pulls, an unknown image names the ways to get it", async () => {
    expect(() => needSkopeo(undefined, "nginx:1.27")).toThrow(
      /apt-get install skopeo.*hooklet image import nginx:1.27 .*image `host`/,
    );
  });

  test("the last name takes the files with it", async () => {
    await dockerArchive(file(), { layers: [[f("a", "1")]] });
    const id = await runtime().importImage("one", file());
    await runtime().importImage("two", file());
    await runtime().removeImage("one");
    expect((await runtime().imageStatus(id))?.repoTags).toEqual(["docker.io/library/two:latest"]);
    await runtime().removeImage("two");
    expect(await runtime().imageStatus(id)).toBeUndefined();
    expect(await readdir(join(directory, "state/runtime-process/images"))).toEqual([]);
  });

  test("a damaged record makes the image unknown, and it can be imported again", async () => {
    await dockerArchive(file(), { layers: [[f("a", "1")]] });
    const id = await runtime().importImage("web", file());
    await writeFile(join(directory, "state/runtime-process/images", id.slice(7), "image"), "rubbish");
    expect(await runtime().imageStatus("web")).toBeUndefined();
    expect(await runtime().importImage("web", file())).toBe(id);
    expect((await runtime().imageStatus("web"))?.id).toBe(id);
  });

  test("two imports of the same image at once both succeed", async () => {
    await dockerArchive(file(), { layers: [[f("a", "1")]] });
    const ids = await Promise.all(["x", "y"].map((name) => runtime().importImage(name, file())));
    expect(new Set(ids).size).toBe(1);
    expect((await runtime().imageFsInfo()).inodesUsed).toBeGreaterThan(0);
  });

  test("the id of a docker archive is the digest of its config", async () => {
    await dockerArchive(file(), { layers: [], config: { Env: [] } });
    const id = await runtime().importImage("web", file());
    expect(id).toBe(`sha256:${sha256(JSON.stringify({ config: { Env: [] }, rootfs: { diff_ids: [] } }))}`);
  });
});

/** Which images there are, under which names, and what goes with a name. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ImageRecord } from "../../../src/image/image-record.js";
import { NO_CONFIG } from "../../../src/image/manifest.js";
import { ImageStore } from "../../../src/image/store.js";
import { type Layout, layoutOf, makeLayout } from "../../../src/layout.js";
import { recordingLog } from "../../harness.js";

const id = (letter: string) => `sha256:${letter.repeat(64)}`;
const unused = () => undefined;

let folder: string;
let layout: Layout;
let said: string[];
let store: ImageStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-store-"));
  layout = layoutOf(folder);
  await makeLayout(layout);
  said = [];
  store = new ImageStore(layout, recordingLog(said));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function add(letter: string, names: readonly string[], more: Partial<ImageRecord> = {}, pulled = false) {
  const made = join(layout.imageTemp, letter);
  mkdirSync(join(made, "rootfs"), { recursive: true });
  const config = { ...NO_CONFIG, env: [], entrypoint: [], cmd: [] };
  await store.add(made, { id: id(letter), size: 100, inodes: 10, config, ...more }, names, { pulled });
}

const namesOf = async (image: string) => (await store.status(image))?.repoTags;

describe("an image", () => {
  test("is found by each of its names and by its id, and its names are in order", async () => {
    await add("a", ["web:2", "web:1"]);
    const found = { id: id("a"), rootfs: join(layout.images, "a".repeat(64), "rootfs") };
    for (const name of ["web:1", "docker.io/library/web:2", id("a")])
      expect(await store.find(name)).toMatchObject(found);
    expect(await namesOf("web:1")).toEqual(["docker.io/library/web:1", "docker.io/library/web:2"]);
    expect(await store.find("web")).toBeUndefined();
    expect(await store.find(id("b"))).toBeUndefined();
  });

  test("image host is always there, is pinned and cannot be removed", async () => {
    const host = { id: "host", repoTags: ["host"], repoDigests: [], size: 0, pinned: true, imported: true };
    expect(await store.status("host:latest")).toEqual(host);
    expect(await store.list()).toEqual([host]);
    expect(await store.find("host")).toEqual({ id: "host" });
    await expect(store.remove("host", unused)).rejects.toMatchObject({
      code: "failed-precondition",
      message: "image host is the machine's own files and cannot be removed",
    });
  });

  test.each([
    ["", {}],
    ["1000:50", { uid: 1000 }],
    ["web:50", { username: "web" }],
    ["1000x", { username: "1000x" }],
  ])("with user %j in its config is one of user %j", async (user, expected) => {
    const config = { ...NO_CONFIG, env: [], entrypoint: [], cmd: [], user };
    await add("a", ["web:1"], { config });
    const [, { uid, username } = {}] = await store.list();
    expect({ ...(uid !== undefined && { uid }), ...(username !== undefined && { username }) }).toEqual(expected);
  });

  test("names by digest are digests and no tags; the one of its archive is one of them, once", async () => {
    const digest = `docker.io/library/web@${id("d")}`;
    const own = `docker.io/library/web@${id("e")}`;
    await add("a", ["web:1", digest, own], { repoDigest: own });
    expect(await store.status("web:1")).toMatchObject({
      repoTags: ["docker.io/library/web:1"],
      repoDigests: [own, digest],
      size: 100,
      pinned: false,
    });
  });

  test("is an imported one, but under a name that a registry gave it", async () => {
    await add("a", ["own:1"]);
    await store.name(id("a"), ["web:1"], { pulled: true });
    const isImported = async (name: string) => (await store.status(name))?.imported === true;
    expect(await Promise.all(["own:1", "web:1", id("a")].map(isImported))).toEqual([true, false, true]);
  });

  test("a name that another image had goes over to the new one", async () => {
    await add("a", ["web:1"]);
    await add("b", ["web:1"]);
    expect((await store.find("web:1"))?.id).toBe(id("b"));
    expect(await namesOf(id("a"))).toEqual([]);
  });

  test("that is there already keeps its files: containers may run on them", async () => {
    await add("a", ["web:1"]);
    writeFileSync(join(layout.images, "a".repeat(64), "rootfs", "in use"), "");
    await add("a", ["web:2"]);
    expect(readdirSync(join(layout.images, "a".repeat(64), "rootfs"))).toEqual(["in use"]);
    expect(await namesOf("web:2")).toHaveLength(2);
  });

  test("whose record is damaged is unknown, is reported, and is replaced by the next import", async () => {
    await add("a", ["web:1"]);
    writeFileSync(join(layout.images, "a".repeat(64), "image"), "rubbish");
    expect(await store.find("web:1")).toBeUndefined();
    expect(await store.list()).toHaveLength(1);
    expect(said[0]).toContain("image record is damaged, import the image again: ");
    writeFileSync(join(layout.images, "a".repeat(64), "rootfs", "old"), "");
    await add("a", ["web:1"]);
    expect((await store.find("web:1"))?.id).toBe(id("a"));
    expect(readdirSync(join(layout.images, "a".repeat(64), "rootfs"))).toEqual([]);
    expect(readdirSync(layout.trash)).toEqual([]);
  });

  test("what else lies in the folders of images and names is none of the store's", async () => {
    for (const place of [layout.images, layout.imageNames])
      for (const name of ["x", "A".repeat(64), `${"a".repeat(64)}~`]) mkdirSync(join(place, name));
    expect(await store.list()).toHaveLength(1);
    expect(said).toEqual([]);
  });
});

describe("layers", () => {
  const layer = (letter: string, size: number, inodes: number) => ({ id: id(letter), size, inodes });

  test("one that several images have is counted once; an image without layers as a whole", async () => {
    await add("a", ["web:1"], { layers: [layer("1", 20, 2), layer("2", 30, 3)] });
    await add("b", ["web:2"], { layers: [layer("1", 20, 2)] });
    await add("c", ["own:1"], { size: 7, inodes: 1 });
    expect(await store.fsInfo()).toEqual({ mountpoint: layout.images, usedBytes: 57, inodesUsed: 6 });
  });

  test("is found in any image that has it", async () => {
    await add("a", ["own:1"]);
    await add("b", ["web:1"], { layers: [layer("1", 20, 2), layer("2", 30, 3)] });
    expect(await store.layer(id("2"))).toEqual({
      folder: join(layout.images, "b".repeat(64), "layers", "2".repeat(64)),
      record: layer("2", 30, 3),
    });
    expect(await store.layer(id("3"))).toBeUndefined();
  });
});

describe("removal", () => {
  const files = () => readdirSync(layout.images);

  test("the files go with the last name, and leave nothing in the trash", async () => {
    await add("a", ["web:1", "web:2"]);
    await store.remove("web:1", () => "main");
    expect([await store.find("web:1"), await namesOf("web:2"), files().length]).toEqual([
      undefined,
      ["docker.io/library/web:2"],
      1,
    ]);
    await store.remove("web:2", unused);
    expect([await store.find(id("a")), files(), readdirSync(layout.imageNames), readdirSync(layout.trash)]).toEqual([
      undefined,
      [],
      [],
      [],
    ]);
  });

  test("by its id all names go", async () => {
    await add("a", ["web:1", "other:1"]);
    await store.remove(id("a"), unused);
    expect([files(), readdirSync(layout.imageNames)]).toEqual([[], []]);
  });

  test("with the last tag of a repository go its digests, and not those of another", async () => {
    const own = `docker.io/library/web@${id("d")}`;
    const other = `docker.io/library/other@${id("d")}`;
    await add("a", ["web:1", "web:2", own, other]);
    await store.remove("web:1", unused);
    expect((await store.status(id("a")))?.repoDigests).toEqual([other, own]);
    await store.remove("web:2", unused);
    expect(await store.status(id("a"))).toMatchObject({ repoTags: [], repoDigests: [other] });
  });

  test("one that a container uses stays with its names, and the error names the container", async () => {
    await add("a", ["web:1"]);
    await expect(store.remove("web:1", (image) => (image === id("a") ? "main" : undefined))).rejects.toMatchObject({
      code: "failed-precondition",
      message: "image web:1 is used by container main; remove that first",
    });
    expect(await namesOf("web:1")).toHaveLength(1);
  });

  test("what is not there is fine", async () => {
    await add("a", ["web:1"]);
    await store.remove("web:2", unused);
    await store.remove(id("b"), unused);
    expect(files()).toHaveLength(1);
  });
});

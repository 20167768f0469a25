/** What may be imported as an image, and under which names. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { importImage } from "../../../src/image/import.js";
import { ImageStore } from "../../../src/image/store.js";
import { type Layout, layoutOf, makeLayout } from "../../../src/layout.js";
import { recordingLog } from "../../harness.js";
import { dockerArchive, ociArchive } from "../../real/image/archives.js";

let folder: string;
let layout: Layout;
let said: string[];
let store: ImageStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-import-"));
  layout = layoutOf(join(folder, "state"));
  await makeLayout(layout);
  said = [];
  store = new ImageStore(layout, recordingLog(said));
  mkdirSync(join(folder, "root/bin"), { recursive: true });
  writeFileSync(join(folder, "root/bin/app"), "x");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const root = () => join(folder, "root");
const archive = () => join(folder, "image.tar");
/** Small: should the machine's root be taken after all, the disk is not full of it. */
const BOUNDS = { maxBytes: 10_000, maxEntries: 20 };
const imported = (name: string, path = root()) => importImage(store, name, path, BOUNDS);
const layers = [[{ name: "a", text: "1" }]];

test.each(["host", "host:latest", "docker.io/library/host:latest", `web@sha256:${"a".repeat(64)}`])(
  "no image is imported as %s: a directory has no digest, and host is the machine",
  async (name) => {
    await expect(imported(name)).rejects.toMatchObject({
      code: "invalid-image-name",
      message: `cannot import as ${name}: choose a name with a tag, and not the name host`,
    });
  },
);

describe("a directory", () => {
  test("is an image without a config, whose id tells its contents", async () => {
    const id = await imported("web");
    expect(await store.find("web")).toMatchObject({ id, record: { config: { env: [], user: "", stopSignal: "" } } });
    expect(await imported("again")).toBe(id);
    writeFileSync(join(root(), "bin/app"), "y");
    expect(await imported("other")).not.toBe(id);
    expect((await store.status("web"))?.repoDigests).toEqual([]);
  });

  test("is the one that a link leads to", async () => {
    symlinkSync(root(), join(folder, "link"));
    expect(await imported("web", join(folder, "link"))).toBe(await imported("web2"));
  });

  test("that holds the agent's own state is refused: it would be copied into itself", async () => {
    const refused = (path: string) => ({
      code: "invalid-argument",
      message: `cannot import ${path}: hooklet's own state lies in it; for the machine's own files use image host`,
    });
    for (const path of [layout.base, join(folder, "state"), folder, "/"])
      await expect(imported("web", path)).rejects.toMatchObject(refused(path));
  });

  test("beside it, with a name that begins alike, is none of it", async () => {
    mkdirSync(join(folder, "sta"));
    await expect(imported("web", join(folder, "sta"))).resolves.toMatch(/^sha256:/);
  });
});

test("of a layout of the OCI the digest is kept, with the name's repository; an archive of docker has none", async () => {
  await ociArchive(archive(), { layers });
  await imported("team/web:1", archive());
  expect((await store.status("team/web:1"))?.repoDigests).toEqual([
    expect.stringMatching(/^docker\.io\/team\/web@sha256:[0-9a-f]{64}$/),
  ]);
  await dockerArchive(archive(), { layers, config: { Env: ["A=1"] } });
  await imported("docker", archive());
  expect((await store.status("docker"))?.repoDigests).toEqual([]);
});

test("devices that are left out are counted in the log, and nothing is said where there were none", async () => {
  await dockerArchive(archive(), { layers: [[{ name: "null", type: "character-device" }]] });
  await imported("web", archive());
  expect(said).toEqual([expect.stringMatching(/"skipped":1.*devices and pipes of the image were left out/)]);
  await imported("dir");
  expect(said).toHaveLength(1);
});

test("what is not there cannot be imported, and a failed import leaves nothing", async () => {
  const gone = join(folder, "gone");
  await expect(imported("web", gone)).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringMatching(`^cannot import ${gone}: ENOENT`) as unknown,
  });
  writeFileSync(archive(), "no archive");
  await expect(imported("web", archive())).rejects.toMatchObject({ code: "invalid-argument" });
  expect([readdirSync(layout.imageTemp), readdirSync(layout.images)]).toEqual([[], []]);
});

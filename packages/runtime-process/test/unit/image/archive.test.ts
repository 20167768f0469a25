/** What an archive of an image holds, as `docker save` and the OCI layout have it, and which archives are refused. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { unpackArchive } from "../../../src/image/archive.js";
import { Budget } from "../../../src/image/bounds.js";
import { MAX_JSON } from "../../../src/image/manifest.js";
import { type Member, sha256, tar } from "../../real/image/archives.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-archive-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, "image.tar");
const json = (name: string, value: unknown): Member => ({ name, text: JSON.stringify(value) });

async function unpacked(...members: readonly Member[]) {
  writeFileSync(file(), await tar(members));
  const { layers, ...rest } = await unpackArchive(
    file(),
    mkdtempSync(join(folder, "members-")),
    new Budget({ maxBytes: 1e9, maxEntries: 100 }),
  );
  return { ...rest, layers: layers.map((layer) => readFileSync(layer, "utf8")) };
}

const refusal = (message: string) => expect.objectContaining({ code: "invalid-argument", message });

describe("docker save", () => {
  const CONFIG = '{"config":{}}';
  const manifest = (Layers: readonly string[], more: readonly object[] = []) =>
    json("manifest.json", [{ Config: "c.json", RepoTags: null, Layers }, ...more]);
  const config: Member = { name: "c.json", text: CONFIG };

  test("the id is the digest of the config; layers come in the manifest's order", async () => {
    expect(
      await unpacked(
        manifest(["b/layer.tar", "a/layer.tar"]),
        config,
        { name: "./a/layer.tar", text: "A" },
        { name: "b//layer.tar", text: "B" },
      ),
    ).toEqual({ config: CONFIG, id: `sha256:${sha256(CONFIG)}`, layers: ["B", "A"] });
  });

  test("a layer may be a link to another one: a symbolic one counts from its folder, a hard one from the top", async () => {
    const { layers } = await unpacked(
      manifest(["a/layer.tar", "b/layer.tar", "c/layer.tar"]),
      config,
      { name: "a/layer.tar", text: "A" },
      { name: "b/layer.tar", type: "symlink", linkname: "../a/layer.tar" },
      { name: "c/layer.tar", type: "link", linkname: "a/layer.tar" },
    );
    expect(layers).toEqual(["A", "A", "A"]);
  });

  test.each<{ name: string; members: readonly Member[]; message: string }>([
    {
      name: "that lacks a layer",
      members: [manifest(["a/layer.tar"]), config],
      message: "a/layer.tar is named by the manifest and is not in the archive",
    },
    {
      name: "whose layer is a link to nothing",
      members: [manifest(["a"]), config, { name: "a", type: "symlink", linkname: "b" }],
      message: "a is named by the manifest and is not in the archive",
    },
    {
      name: "whose layer is a folder",
      members: [manifest(["a"]), config, { name: "a", type: "directory" }],
      message: "a is named by the manifest and is not in the archive",
    },
    {
      name: "whose config is too large",
      members: [manifest([]), { name: "c.json", text: "x".repeat(MAX_JSON + 1) }],
      message: `c.json has ${MAX_JSON + 1} bytes, at most ${MAX_JSON} are read`,
    },
  ])("an archive $name is refused", async ({ members, message }) => {
    await expect(unpacked(...members)).rejects.toEqual(refusal(`${file()}: ${message}`));
  });

  test("an archive of several images is refused", async () => {
    const other = { Config: "d.json", Layers: [] };
    await expect(unpacked(manifest([], [other]), config)).rejects.toEqual(
      refusal(`${file()} holds 2 images; expected one: save each to a file of its own`),
    );
  });

  test("a config of the largest size is read", async () => {
    const text = "x".repeat(MAX_JSON);
    expect((await unpacked(manifest([]), { name: "c.json", text })).config).toBe(text);
  });
});

describe("an OCI layout", () => {
  const here = process.arch === "x64" ? "amd64" : process.arch;
  const digestOf = (text: string) => `sha256:${sha256(text)}`;
  const blob = (text: string): Member => ({ name: `blobs/sha256/${sha256(text)}`, text });
  const indexText = (...texts: readonly string[]) =>
    JSON.stringify({ manifests: texts.map((text) => ({ digest: digestOf(text) })) });
  const index = (...texts: readonly string[]): Member => ({ name: "index.json", text: indexText(...texts) });
  const CONFIG = '{"config":{}}';
  const MANIFEST = JSON.stringify({ config: { digest: digestOf(CONFIG) }, layers: [{ digest: digestOf("A") }] });
  const parts = [blob(CONFIG), blob("A")];
  const whole = { config: CONFIG, id: digestOf(CONFIG), layers: ["A"], manifestDigest: digestOf(MANIFEST) };

  test("the id is the config's digest, and the manifest's goes along", async () => {
    expect(await unpacked(index(MANIFEST), blob(MANIFEST), ...parts)).toEqual(whole);
  });

  test("counts, where docker's manifest lies beside it", async () => {
    expect(await unpacked(json("manifest.json", []), index(MANIFEST), blob(MANIFEST), ...parts)).toEqual(whole);
  });

  test("of several platforms the machine's own is taken", async () => {
    const other = { digest: digestOf("other"), platform: { os: "linux", architecture: "s390x" } };
    const own = { digest: digestOf(MANIFEST), platform: { os: "linux", architecture: here } };
    const list = json("index.json", { manifests: [other, own] });
    expect(await unpacked(list, blob(MANIFEST), ...parts)).toEqual(whole);
    await expect(unpacked(json("index.json", { manifests: [other] }))).rejects.toEqual(
      refusal(`${file()} holds no image for linux/${here}, only linux/s390x`),
    );
  });

  test("an index may point to indexes, four deep", async () => {
    const texts = [MANIFEST];
    while (texts.length < 5) texts.push(indexText(texts.at(-1) ?? ""));
    const archive = (depth: number) => [index(texts[depth] ?? ""), ...texts.map(blob), ...parts];
    expect(await unpacked(...archive(3))).toEqual(whole);
    rmSync(mkdtempSync(join(folder, "members-")), { recursive: true });
    await expect(unpacked(...archive(4))).rejects.toEqual(
      refusal(`${file()}: the index points to indexes more than 4 deep`),
    );
  });

  test("several images are refused", async () => {
    await expect(unpacked(index(MANIFEST, CONFIG, "A"), blob(MANIFEST), ...parts)).rejects.toEqual(
      refusal(`${file()} holds 3 images; expected one: save each to a file of its own`),
    );
  });

  test.each([
    ["manifest", MANIFEST],
    ["config", CONFIG],
    ["layer", "A"],
  ])("a %s that is not what its digest says is refused", async (_name, text) => {
    const damaged = `${text} `;
    const members = [
      index(MANIFEST),
      ...[blob(MANIFEST), ...parts].map((one) => (one.text === text ? { ...one, text: damaged } : one)),
    ];
    await expect(unpacked(...members)).rejects.toEqual(
      refusal(
        `${file()}: blobs/sha256/${sha256(text)} is damaged: expected ${digestOf(text)}, found ${digestOf(damaged)}`,
      ),
    );
  });
});

test("an archive of no image names the formats, and the way for a root file system", async () => {
  await expect(unpacked({ name: "etc/passwd", text: "root" })).rejects.toEqual(
    refusal(
      `${file()} is no image archive: expected manifest.json (docker save) or index.json (OCI layout) in it; to import a root file system unpack it and import the directory`,
    ),
  );
});

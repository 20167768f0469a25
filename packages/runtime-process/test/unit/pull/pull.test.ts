/** What is asked of a registry for an image, what is brought, and what is refused. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { DEFAULT_BOUNDS } from "../../../src/image/bounds.js";
import { ImageStore } from "../../../src/image/store.js";
import { layoutOf, makeLayout } from "../../../src/layout.js";
import { needSkopeo, type PullOptions, pullImage } from "../../../src/pull/pull.js";
import type { SkopeoDeps } from "../../../src/pull/skopeo.js";
import { recordingLog } from "../../harness.js";
import { sha256, tar } from "../../real/image/archives.js";
import { FakeSkopeo, PULLED } from "../../skopeo.js";

let fake: FakeSkopeo;
let deps: SkopeoDeps;
let folder: string;
let images: ImageStore;
let said: string[];
beforeEach(async () => {
  fake = new FakeSkopeo();
  deps = await fake.deps();
  folder = mkdtempSync(join(tmpdir(), PULLED));
  said = [];
  images = new ImageStore(layoutOf(folder), recordingLog(said));
  await makeLayout(images.layout);
});
afterEach(() => {
  fake.remove();
  // Nothing of a pull stays behind, whether it failed or not.
  const left = readdirSync(images.layout.imageTemp);
  rmSync(folder, { recursive: true });
  expect(left).toEqual([]);
});

const IMAGE = "r.example/team/web";
const pull = (
  name = `${IMAGE}:1`,
  options: Partial<PullOptions> = {},
  given?: Parameters<typeof pullImage>[3],
  signal = new AbortController().signal,
) =>
  pullImage(
    { ...deps, images },
    { program: fake.program, configPath: "", credentialFiles: [], timeout: 6_000, bounds: DEFAULT_BOUNDS, ...options },
    name,
    given,
    signal,
  );
const layer = (name: string) => tar([{ name, mode: 0o644, text: name, mtime: new Date(0) }]);
const refused = (message: string | RegExp, code = "invalid-argument") =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });
/** The kinds of starts, with the image of each. */
const asked = () =>
  fake.starts().map((words) => {
    const kind = words.includes("copy") ? "copy" : words.includes("--config") ? "config" : "manifest";
    return `${kind} ${words.find((word) => word.startsWith("docker://"))?.slice("docker://".length)}`;
  });

describe("an image is pulled", () => {
  test("by its tag: it has the names that it was asked by, and of its digest; its files are in place", async () => {
    const layers = [await layer("one"), await layer("two")];
    const digest = fake.image("1", layers);
    const id = await pull();
    expect(await images.status(`${IMAGE}:1`)).toMatchObject({
      id,
      repoTags: [`${IMAGE}:1`],
      repoDigests: [`${IMAGE}@${digest}`],
    });
    expect((await images.status(`${IMAGE}:1`))?.imported).toBeUndefined();
    const { rootfs = "", record } = (await images.find(id)) ?? {};
    expect(readdirSync(rootfs).sort()).toEqual(["one", "two"]);
    expect(record).toMatchObject({
      config: { cmd: ["app"] },
      layers: layers.map((one) => ({ id: `sha256:${sha256(one)}` })),
    });
    expect(said).toEqual([]);
    const byDigest = `${IMAGE}@${digest}`;
    expect(asked()).toEqual([`manifest ${IMAGE}:1`, `config ${byDigest}`, `copy ${byDigest}`]);
  });

  test("by its digest: it has no tag", async () => {
    const digest = fake.image("1", [await layer("one")]);
    const id = await pull(`${IMAGE}:1@${digest}`);
    expect(await images.status(id)).toMatchObject({ repoTags: [], repoDigests: [`${IMAGE}@${digest}`] });
    expect(asked()[0]).toBe(`manifest ${IMAGE}@${digest}`);
  });

  test("once: what is here already gets the further name", async () => {
    fake.image("1", [await layer("one")]);
    const id = await pull();
    fake.image("2", [await layer("one")]);
    expect(await pull(`${IMAGE}:2`)).toBe(id);
    expect((await images.status(`${IMAGE}:2`))?.repoTags).toEqual([`${IMAGE}:1`, `${IMAGE}:2`]);
    expect((await images.status(`${IMAGE}:2`))?.imported).toBeUndefined();
    expect(asked().slice(3)).toEqual([`manifest ${IMAGE}:2`]);
  });

  test("without the layers that other images have", async () => {
    const [one, two] = [await layer("one"), await layer("two")];
    fake.image("1", [one]);
    await pull();
    fake.image("2", [one, two]);
    rmSync(join(fake.folder, "blobs", sha256(one)));
    const { rootfs = "" } = (await images.find(await pull(`${IMAGE}:2`))) ?? {};
    expect(readdirSync(rootfs).sort()).toEqual(["one", "two"]);
    fake.image("3", [one], { config: { config: { Cmd: ["other"] } } });
    await pull(`${IMAGE}:3`);
    expect(asked().filter((start) => start.startsWith("copy"))).toHaveLength(2);
  });

  test("for this machine, where an index has several, and indexes of indexes", async () => {
    const digest = fake.image("own", [await layer("one")]);
    const index = (entries: readonly object[]) => {
      const text = JSON.stringify({ manifests: entries });
      fake.put("manifests", sha256(text), text);
      return { text, digest: `sha256:${sha256(text)}` };
    };
    const other = { digest: `sha256:${"0".repeat(64)}`, platform: { os: "plan9", architecture: "mips" } };
    let top = index([other, { digest }]);
    for (let depth = 1; depth < 3; depth++) top = index([{ digest: top.digest }]);
    fake.put("manifests", "1", top.text);
    const id = await pull();
    expect((await images.status(id))?.repoDigests).toEqual([`${IMAGE}@${top.digest}`]);
    expect(asked()[4]).toBe(`config ${IMAGE}@${digest}`);
    top = index([{ digest: top.digest }]);
    fake.put("manifests", "1", top.text);
    await expect(pull()).rejects.toEqual(refused(`^${IMAGE}:1: the index points to indexes more than 4 deep$`));
  });

  test("with a word on the devices and pipes that it cannot have", async () => {
    fake.image("1", [await tar([{ name: "pipe", type: "fifo" }])]);
    await pull();
    expect(said.join()).toMatch(/"skipped":1.*devices and pipes of the image were left out/);
  });
});

describe("a pull fails", () => {
  const DIGEST = `sha256:${"0".repeat(64)}`;

  test("on a manifest, a config or a layer that has another digest", async () => {
    const one = await layer("one");
    const digest = fake.image("1", [one]);
    fake.put("manifests", digest.slice(7), "{}");
    await expect(pull(`${IMAGE}@${digest}`)).rejects.toEqual(
      refused(`^${IMAGE}@${digest} is damaged: expected ${digest}, found sha256:${sha256("{}")}$`),
    );
    fake.put("manifests", "2", JSON.stringify({ manifests: [{ digest }] }));
    await expect(pull(`${IMAGE}:2`)).rejects.toEqual(
      refused(`^the manifest of ${IMAGE}:2 is damaged: expected ${digest}`),
    );
    fake.image("1", [one], { manifest: { config: { digest: DIGEST } } });
    await expect(pull()).rejects.toEqual(
      refused(`^the config of ${IMAGE}:1 is damaged: expected ${DIGEST}, found sha256:`),
    );
    fake.image("1", [one]);
    fake.put("blobs", sha256(one), Buffer.alloc(one.length));
    await expect(pull()).rejects.toEqual(refused(`^layer 1 of ${IMAGE}:1 is damaged: expected sha256:${sha256(one)}`));
  });

  test("where the config does not name the layers", async () => {
    fake.image("1", [await layer("one")], { config: { rootfs: undefined } });
    await expect(pull()).rejects.toEqual(refused(`^${IMAGE}:1: the config names no layers$`));
  });

  test("before it brings more than the options or the disk allow", async () => {
    const one = await layer("one");
    fake.image("1", [one]);
    const bounds = { ...DEFAULT_BOUNDS, maxBytes: one.length - 1 };
    await expect(pull(undefined, { bounds })).rejects.toEqual(
      refused(`^the layers have ${one.length} bytes; raise the runtime's option maxImageBytes \\(${one.length - 1}\\)`),
    );
    const size = 2 ** 60;
    fake.image("1", [one], { manifest: { layers: [{ digest: `sha256:${sha256(one)}`, size }] } });
    const enough = { ...DEFAULT_BOUNDS, maxBytes: Number.MAX_SAFE_INTEGER * 1_000 };
    await expect(pull(undefined, { bounds: enough })).rejects.toEqual(
      refused(
        `^no space left on the disk of ${images.layout.images}: the layers have ${size} bytes`,
        "resource-exhausted",
      ),
    );
    expect(asked().filter((start) => start.startsWith("copy"))).toEqual([]);
  });

  test("not for its bytes alone: as many as the options allow are brought", async () => {
    const one = await layer("one");
    fake.image("1", [one]);
    await pull(undefined, { bounds: { ...DEFAULT_BOUNDS, maxBytes: one.length } });
  });

  test("with the reason of the one who gave it up, and no further credentials are tried", async () => {
    fake.first("sleep 60");
    const abort = new AbortController();
    const pulled = pull(undefined, {}, undefined, abort.signal);
    setTimeout(() => abort.abort(new Error("given up")), 30);
    await expect(pulled).rejects.toThrow("given up");
  });
});

describe("credentials", () => {
  const login = (username: string) => Buffer.from(`${username}:x`).toString("base64");
  /** Lets in the user `good` alone; the refusal says what was shown. */
  const guard = () => {
    const shown = '"$TMPDIR/auth.json"';
    fake.first(`grep -q ${login("good")} ${shown} || { cat ${shown} >&2; exit 1; }`);
  };

  test("of the node are tried in turn; the last refusal counts", async () => {
    const file = join(folder, "config.json");
    const known = (first: string, second: string) => {
      const auths = { "r.example/team": { auth: login(first) }, "r.example": { auth: login(second) } };
      writeFileSync(file, JSON.stringify({ auths }));
    };
    fake.image("1", [await layer("one")]);
    guard();
    known("bad", "worse");
    await expect(pull(undefined, { credentialFiles: [file] })).rejects.toThrow(login("worse"));
    expect(fake.starts()).toHaveLength(2);
    known("bad", "good");
    await pull(undefined, { credentialFiles: [file] });
    expect(fake.starts()).toHaveLength(2 + 1 + 3);
  });

  test("of the pod are the only ones", async () => {
    const file = join(folder, "config.json");
    writeFileSync(file, JSON.stringify({ auths: { "r.example": { auth: login("good") } } }));
    fake.image("1", [await layer("one")]);
    guard();
    const options = { credentialFiles: [file] };
    await expect(pull(undefined, options, { username: "bad", password: "x" })).rejects.toThrow(login("bad"));
    expect(fake.starts()).toHaveLength(1);
    await pull(undefined, options, { username: "good", password: "x" });
  });
});

test("the registry's hosts come from the folders of the options", async () => {
  const certs = join(folder, "certs");
  mkdirSync(join(certs, "r.example"), { recursive: true });
  writeFileSync(join(certs, "r.example/hosts.toml"), 'server = "https://mirror.example"');
  fake.image("1", [await layer("one")]);
  fake.first(`cp "$TMPDIR/registries.conf" '${fake.folder}/conf'`);
  await pull(undefined, { configPath: certs });
  expect(readFileSync(join(fake.folder, "conf"), "utf8")).toMatch(
    /prefix = "r\.example"\nlocation = "mirror\.example"/,
  );
});

test("without skopeo the error names each way to an image", () => {
  expect(needSkopeo("/bin/skopeo", "web")).toBe("/bin/skopeo");
  expect(() => needSkopeo(undefined, "web:1")).toThrow(
    refused(
      /^image web:1 is not present, and skopeo.* apt-get install skopeo\).*hooklet image import web:1 .*`host`/,
      "image-never-pull",
    ),
  );
});

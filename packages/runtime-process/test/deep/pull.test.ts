/** What registries, images, networks and disks do to a pull. Whatever it is, nothing of a failed pull stays behind. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { ProcessRuntimeOptions } from "../../src/options.js";
import type { ProcessRuntime } from "../../src/process-runtime.js";
import { isRoot, openRuntime } from "../harness.js";
import { until } from "../node.js";
import { processIds } from "../processes.js";
import { type Member, tar } from "../real/image/archives.js";
import { login, noRegistry, Registry } from "../registry.js";

const MIB = 2 ** 20;
const f = (name: string, text: string | Buffer): Member => ({ name, text, mode: 0o644, mtime: new Date(0) });
/** Does not get smaller when it is packed. */
const noise = (bytes: number): Buffer => randomBytes(bytes);

(noRegistry === undefined ? describe : describe.skip)("a pull", () => {
  let registry: Registry;
  let folder: string;
  let runtime: ProcessRuntime;
  let mounted = false;
  beforeAll(async () => {
    registry = await Registry.start();
  });
  afterAll(() => registry?.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hooklet-pull-"));
    registry.allowed = undefined;
    runtime = await open();
  });
  afterEach(async () => {
    await runtime.close();
    if (mounted) execFileSync("umount", [folder]);
    mounted = false;
    await rm(folder, { recursive: true, force: true });
  });

  async function open(options: Partial<ProcessRuntimeOptions> = {}): Promise<ProcessRuntime> {
    const opened = openRuntime(folder, { registryConfigPath: registry.certsD, ...options });
    await opened.start();
    return opened;
  }

  async function reopen(options: Partial<ProcessRuntimeOptions>): Promise<void> {
    await runtime.close();
    runtime = await open(options);
  }

  const inStore = (name: string): string => join(folder, "runtime-process", name);
  const pull = (image: string, signal?: AbortSignal): Promise<string> => runtime.pullImage(image, signal, login);
  const rootOf = (id: string): string => inStore(`images/${id.slice(7)}/rootfs`);

  async function expectNothing(): Promise<void> {
    for (const name of ["images", "image-names", "image-temp"]) expect(await readdir(inStore(name))).toEqual([]);
    expect(skopeos()).toEqual([]);
  }

  /** Those that pull from this test's registry. */
  const skopeos = (): readonly number[] =>
    processIds((words) => words.includes("/skopeo ") && words.includes(`docker://${registry.host}/`));

  async function pushed(name: string, ...layers: readonly (readonly Member[])[]) {
    return registry.push(name, { layers: await Promise.all(layers.map(tar)) });
  }

  /** A pull that has come to a standstill in the middle of a layer, and the skopeo that waits. */
  async function stalled(
    image: string,
    signal?: AbortSignal,
  ): Promise<{ readonly failure: Promise<Error>; readonly skopeo: number }> {
    registry.allowed = 300_000;
    const failure = pull(image, signal).then(
      () => new Error("it was pulled"),
      (error: Error) => error,
    );
    await until("no more comes", () => (registry.allowed ?? 0) < 0);
    const [skopeo = 0] = skopeos();
    return { failure, skopeo };
  }

  describe("fails with the cause", () => {
    test("a wrong password", async () => {
      const { image } = await pushed("auth:1", [f("a", "1")]);
      await expect(runtime.pullImage(image, undefined, { ...login, password: "wrong" })).rejects.toThrow(
        `reading manifest 1 in ${registry.host}/auth: unauthorized: authentication required`,
      );
      await expectNothing();
    });

    test("an image that the registry does not have", async () => {
      await expect(pull(`${registry.host}/none:1`)).rejects.toThrow("manifest unknown");
      await expectNothing();
    });

    test("a certificate that was signed by another, unless it is not to be checked", async () => {
      const { image } = await pushed("tls:1", [f("a", "1")]);
      const checked = `server = "https://${registry.host}"\n`;
      const elsewhere = join(folder, "certs.d");
      await mkdir(join(elsewhere, "_default"), { recursive: true });
      await writeFile(join(elsewhere, "_default/hosts.toml"), checked);
      await reopen({ registryConfigPath: elsewhere });
      await expect(pull(image)).rejects.toThrow("x509: certificate signed by unknown authority");
      await writeFile(join(elsewhere, "_default/hosts.toml"), `${checked}skip_verify = true\n`);
      await pull(image);
    });

    test("a layer that was changed in the registry", async () => {
      const { image, blobs } = await pushed("changed:1", [f("a", noise(10_000))]);
      const file = registry.blobFile(blobs[0] ?? "");
      const bytes = await readFile(file);
      bytes.writeUInt8((bytes.at(-20) ?? 0) ^ 1, bytes.length - 20);
      await writeFile(file, bytes);
      await expect(pull(image)).rejects.toThrow(/[Dd]igest|checksum|corrupt/);
      await expectNothing();
    });

    test("a config that names another layer", async () => {
      const other = `sha256:${"0".repeat(64)}`;
      const { image } = await registry.push("lies:1", { layers: [await tar([f("a", "1")])], diffIds: [other] });
      await expect(pull(image)).rejects.toThrow(`layer 1 of ${image} is damaged: expected ${other}, found sha256:`);
      await expectNothing();
    });

    test("a name with another digest", async () => {
      const { image, digest } = await pushed("digest:1", [f("a", "1")]);
      const name = image.replace(/:1$/, "");
      await expect(pull(`${name}@sha256:${"1".repeat(64)}`)).rejects.toThrow("manifest unknown");
      await expectNothing();
      const id = await pull(`${name}@${digest}`);
      expect(await runtime.imageStatus(`${name}@${digest}`)).toMatchObject({ id, repoTags: [] });
    });
  });

  describe("that is interrupted", () => {
    test("by the end of skopeo, fails, and the next one succeeds", async () => {
      const { image } = await pushed("killed:1", [f("a", noise(2 * MIB))]);
      const { failure, skopeo } = await stalled(image);
      process.kill(skopeo, "SIGKILL");
      expect((await failure).message).toBe("skopeo ended with signal 9");
      await expectNothing();
      registry.allowed = undefined;
      await pull(image);
    });

    test("by a network that brings nothing more, fails after the time for that", async () => {
      await reopen({ imagePullProgressTimeout: 1 });
      const { image } = await pushed("silent:1", [f("a", noise(2 * MIB))]);
      const { failure } = await stalled(image);
      expect((await failure).message).toBe(`no byte came from ${registry.host} for 1 s`);
      await expectNothing();
    });

    test("by the pod that goes, and by an agent that is closed, leaves nothing", async () => {
      const { image } = await pushed("left:1", [f("a", noise(2 * MIB))]);
      const stop = new AbortController();
      const { failure } = await stalled(image, stop.signal);
      stop.abort(new Error("the pod is gone"));
      expect((await failure).message).toBe("the pod is gone");
      await expectNothing();
      const second = await stalled(image);
      await runtime.close();
      await second.failure;
      await expectNothing();
    });
  });

  (isRoot ? test : test.skip)(
    "is made by a process without rights, which has the password in a file alone",
    async () => {
      const { image } = await pushed("rights:1", [f("a", noise(2 * MIB))]);
      const { failure, skopeo } = await stalled(image);
      const of = (name: string): string => readFileSync(`/proc/${skopeo}/${name}`, "utf8");
      expect(of("status")).toMatch(/^Uid:\t(\d{10})\t\1\t\1\t\1$/m);
      expect(of("status")).toMatch(/^CapEff:\t0+$/m);
      expect(of("status")).toMatch(/^CapBnd:\t0+$/m);
      expect(of("status")).toMatch(/^NoNewPrivs:\t1$/m);
      const encoded = Buffer.from(`${login.username}:${login.password}`).toString("base64");
      for (const secret of [login.password, encoded]) {
        expect(of("cmdline")).not.toContain(secret);
        expect(of("environ")).not.toContain(secret);
      }
      expect((await stat(`/proc/${skopeo}/root/tmp/auth.json`)).mode & 0o777).toBe(0o600);
      expect(readdirSync(`/proc/${skopeo}/root/tmp`)).not.toContain("image");
      process.kill(skopeo, "SIGKILL");
      await failure;
    },
  );

  describe("brings only what is not there", () => {
    test("a layer that another image has is neither brought nor unpacked", async () => {
      const base = [f("etc/base", noise(MIB))];
      const first = await pushed("shared:1", base, [f("top", "1")]);
      const second = await pushed("shared:2", base, [f("top", "2"), f("etc/more", "x")]);
      const one = await pull(first.image);
      await rm(registry.blobFile(first.blobs[0] ?? ""));
      const two = await pull(second.image);
      const inodes = await Promise.all([one, two].map(async (id) => (await stat(join(rootOf(id), "etc/base"))).ino));
      expect(new Set(inodes).size).toBe(1);
      expect(await readFile(join(rootOf(two), "top"), "utf8")).toBe("2");
      expect((await runtime.imageFsInfo()).usedBytes).toBeLessThan(1.5 * MIB);
      await runtime.removeImage(one);
      expect((await stat(join(rootOf(two), "etc/base"))).nlink).toBe(2);
      await runtime.removeImage(two);
      await expectNothing();
    });

    test("an image that has not changed in the registry is not brought again, one that has is", async () => {
      const first = await pushed("moves:1", [f("a", "1")]);
      const id = await pull(first.image);
      await rm(registry.blobFile(first.blobs[0] ?? ""));
      expect(await pull(first.image)).toBe(id);
      await pushed("moves:1", [f("a", "2")]);
      const next = await pull(first.image);
      expect(next).not.toBe(id);
      expect((await runtime.imageStatus(first.image))?.id).toBe(next);
      expect((await runtime.imageStatus(id))?.repoTags).toEqual([]);
    });

    test("two at once of one image both have it", async () => {
      const { image } = await pushed("twice:1", [f("a", noise(MIB))]);
      expect(new Set(await Promise.all([pull(image), pull(image)])).size).toBe(1);
    });
  });

  test("of an index brings the image for this machine, which is known by the digest of the index", async () => {
    const own = await pushed("several:own", [f("a", "own")]);
    const other = await pushed("several:other", [f("a", "other")]);
    const architecture = process.arch === "x64" ? "amd64" : process.arch;
    const digest = await registry.pushIndex("several:1", [
      { digest: other.digest, platform: { os: "linux", architecture: "s390x" } },
      { digest: own.digest, platform: { os: "linux", architecture } },
      { digest: other.digest, platform: { os: "unknown", architecture: "unknown" } },
    ]);
    const name = `${registry.host}/several`;
    const id = await pull(`${name}:1`);
    expect(await readFile(join(rootOf(id), "a"), "utf8")).toBe("own");
    expect(await runtime.imageStatus(`${name}:1`)).toMatchObject({ id, repoDigests: [`${name}@${digest}`] });
    expect(await pull(`${name}@${digest}`)).toBe(id);
    await registry.pushIndex("several:2", [{ digest: other.digest, platform: { os: "linux", architecture: "s390x" } }]);
    await expect(pull(`${name}:2`)).rejects.toThrow(
      `${name}:2 holds no image for linux/${architecture}, only linux/s390x`,
    );
  });

  test("works where the machine gives no namespaces: skopeo has no capabilities all the same", async () => {
    await reopen({ namespaces: false });
    const { image } = await pushed("plain:1", [f("a", noise(2 * MIB))]);
    const { failure, skopeo } = await stalled(image);
    const status = readFileSync(`/proc/${skopeo}/status`, "utf8");
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    process.kill(skopeo, "SIGKILL");
    await failure;
    registry.allowed = undefined;
    await pull(image);
  });

  test("goes to the mirrors of hosts.toml in turn, by the name of the registry", async () => {
    await pushed("library/nginx:1.29", [f("etc/nginx", "mirrored")]);
    const ca = join(registry.folder, "ca.crt");
    await registry.hosts(
      `[host."https://localhost:1"]\ncapabilities = ["pull", "resolve"]\n[host."https://${registry.host}"]\nca = "${ca}"\n`,
      "docker.io",
    );
    const id = await pull("nginx:1.29");
    expect(await runtime.imageStatus("nginx:1.29")).toMatchObject({ id, repoTags: ["docker.io/library/nginx:1.29"] });
    expect(await readFile(join(rootOf(id), "etc/nginx"), "utf8")).toBe("mirrored");
  });

  test("uses the node's docker config where the pod has no credentials", async () => {
    const { image } = await pushed("node:1", [f("a", "1")]);
    const auth = Buffer.from(`${login.username}:${login.password}`).toString("base64");
    await writeFile(join(folder, "config.json"), JSON.stringify({ auths: { [registry.host]: { auth } } }));
    await runtime.pullImage(image);
  });

  describe("of a hostile image", () => {
    test.each<[string, Member[], RegExp]>([
      ["a name with ..", [f("../../outside", "x")], /leaves the image's root/],
      [
        "a hard link out of the root",
        [{ name: "l", type: "link", linkname: "../../outside" }],
        /leaves the image's root/,
      ],
      [
        "a hard link to the machine's file",
        [{ name: "l", type: "link", linkname: "/etc/passwd" }],
        /no file in the image/,
      ],
      ["a whiteout of ..", [f("a/.wh...", "")], /whiteout of nothing/],
      ["a file below a file", [f("a", "1"), f("a/b", "2")], /no directory/],
    ])("is refused: %s", async (_name, members, message) => {
      const { image } = await pushed("hostile:1", [f("fine", "1")], members);
      await expect(pull(image)).rejects.toThrow(message);
      await expectNothing();
    });

    test("stays in its root: links to the machine, and what is written by way of them; devices are left out", async () => {
      const outside = join(folder, "outside");
      await mkdir(outside);
      await writeFile(join(outside, "keep"), "1");
      const { image } = await pushed(
        "links:1",
        [
          { name: "abs", type: "symlink", linkname: outside },
          { name: "up", type: "symlink", linkname: "../../../../../.." },
        ],
        [f("abs/f", "1"), f("abs/.wh.keep", ""), f("up/g", "2"), { name: "abs/.wh..wh..opq" }],
        [
          { name: "sda", type: "block-device", devmajor: 8, devminor: 0 },
          { name: "pipe", type: "fifo" },
        ],
      );
      const id = await pull(image);
      expect(await readdir(outside)).toEqual(["keep"]);
      expect((await readdir(rootOf(id))).sort()).toEqual(
        [...new Set(["abs", "g", "up", "tmp", outside.split("/")[1] ?? ""])].sort(),
      );
    });

    test("is refused: a bomb of zeros, by the bound", async () => {
      const bomb = tar([{ name: "zeros", text: "\0".repeat(200 * MIB) }]);
      const { image } = await registry.push("bomb:1", { layers: [await bomb] });
      await reopen({ maxImageBytes: 50 * MIB });
      await expect(pull(image)).rejects.toThrow(/more than 52428800 bytes; raise the runtime's option maxImageBytes/);
      await expectNothing();
    });

    test("is refused: more files than the bound", async () => {
      const { image } = await pushed(
        "many:1",
        Array.from({ length: 300 }, (_, at) => f(String(at), "")),
      );
      await reopen({ maxImageEntries: 200 });
      await expect(pull(image)).rejects.toThrow(/more than 200 files/);
      await expectNothing();
    });
  });

  (isRoot ? test : test.skip)(
    "onto a full disk reports it, frees what it took, and works once there is space",
    async () => {
      await runtime.close();
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "none", folder]);
      mounted = true;
      runtime = await open();
      const large = await pushed("large:1", [f("a", noise(30 * MIB))]);
      await expect(pull(large.image)).rejects.toThrow(
        /^no space left on the disk of .*: the layers have \d+ bytes, and \d+ are free$/,
      );
      const bomb = await registry.push("zeros:1", {
        layers: [await tar([{ name: "zeros", text: "\0".repeat(100 * MIB) }])],
      });
      await expect(pull(bomb.image)).rejects.toThrow(`no space left on the disk of ${inStore("images")}: make room`);
      await expectNothing();
      // So that the layer itself has no room, nor the little that comes before it.
      const small = await pushed("small:1", [f("a", noise(3 * MIB))]);
      const filler = join(folder, "filler");
      await writeFile(filler, Buffer.alloc(16 * MIB));
      for (let full = false; !full; )
        full = await appendFile(filler, Buffer.alloc(4096)).then(
          () => false,
          () => true,
        );
      await expect(pull(small.image)).rejects.toThrow(/no space left/);
      await rm(filler);
      await pull(small.image);
    },
  );
});

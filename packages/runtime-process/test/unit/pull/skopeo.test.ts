/** How skopeo is started, what it may do, and when it is ended. */
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@hooklet/core";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ownHost } from "../../../src/pull/hosts-toml.js";
import { Skopeo, type SkopeoDeps, type SkopeoOptions } from "../../../src/pull/skopeo.js";
import { FakeSkopeo, PULLED } from "../../skopeo.js";

let fake: FakeSkopeo;
let deps: SkopeoDeps;
let folder: string;
beforeEach(async () => {
  fake = new FakeSkopeo();
  deps = await fake.deps();
  folder = mkdtempSync(join(tmpdir(), PULLED));
});
afterEach(() => {
  fake.remove();
  rmSync(folder, { recursive: true });
});

const prepared = (changes: Partial<SkopeoOptions> = {}, more: Partial<SkopeoDeps> = {}) =>
  Skopeo.prepare(
    { ...deps, ...more },
    {
      program: fake.program,
      folder,
      registry: "r.example",
      hosts: [ownHost("r.example")],
      credentials: undefined,
      timeout: 6_000,
      signal: new AbortController().signal,
      ...changes,
    },
  );
const inside = (name: string) => join(folder, name);
const HEX = "a".repeat(64);

describe("skopeo is started", () => {
  const common = () => {
    const policy = existsSync("/etc/containers/policy.json") ? [] : ["--insecure-policy"];
    const settings = ["--registries-conf", inside("registries.conf"), "--tmpdir", folder, ...policy];
    return ["--override-os", "linux", ...settings];
  };

  test("for a manifest, and for a config, with the credentials and the hosts of its folder", async () => {
    fake.put("manifests", "1", "the manifest");
    fake.put("configs", "1", "the config");
    const skopeo = await prepared({ credentials: { username: "me", password: "secret" } });
    expect(await skopeo.manifest("r.example/web:1")).toBe("the manifest");
    expect(await skopeo.config("r.example/web:1")).toBe("the config");
    const last = ["--authfile", inside("auth.json"), "docker://r.example/web:1"];
    expect(fake.starts()).toEqual([
      [...common(), "inspect", "--raw", ...last],
      [...common(), "inspect", "--config", "--raw", ...last],
    ]);
    expect(Object.keys(JSON.parse(readFileSync(inside("auth.json"), "utf8")).auths)).toEqual(["r.example"]);
    expect(readFileSync(inside("registries.conf"), "utf8")).toContain('prefix = "r.example"');
    for (const name of ["auth.json", "registries.conf"]) expect(statSync(inside(name)).mode & 0o777).toBe(0o600);
  });

  test("for the blobs that are missing, as they are packed", async () => {
    fake.put("blobs", HEX, "layer");
    fake.put("blobs", "b".repeat(64), "has it");
    const skopeo = await prepared();
    await skopeo.skip("b".repeat(64));
    await skopeo.copy("r.example/web:1", 5);
    expect(fake.starts()).toEqual([
      [
        ...common(),
        ...["copy", "--quiet", "--src-authfile", inside("auth.json"), "--dest-oci-accept-uncompressed-layers"],
        ...["--dest-shared-blob-dir", inside("blobs"), "docker://r.example/web:1", `oci:${inside("layout")}`],
      ],
    ]);
    expect(readFileSync(await skopeo.blob(HEX, 5), "utf8")).toBe("layer");
    expect(readFileSync(inside(`blobs/sha256/${"b".repeat(64)}`), "utf8")).toBe("");
  });

  test("with the proxies and authorities of the agent, and nothing else of its environment", async () => {
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];
    const given = [...names, "SSL_CERT_FILE", "SSL_CERT_DIR"];
    const before = { ...process.env };
    try {
      for (const name of given) process.env[name] = `of ${name}`;
      process.env.REGISTRY_AUTH_FILE = "/root/auth.json";
      fake.put("manifests", "1", "");
      await (await prepared()).manifest("web:1");
    } finally {
      process.env = before;
    }
    const environment = fake.environment();
    expect(environment).toMatchObject(Object.fromEntries(given.map((name) => [name, `of ${name}`])));
    expect(environment).toMatchObject({ HOME: inside("home"), TMPDIR: folder, XDG_RUNTIME_DIR: folder });
    expect(environment).not.toHaveProperty("REGISTRY_AUTH_FILE");
  });

  test("without new rights, and with none at all where the agent is root", async () => {
    fake.put("manifests", "1", "");
    fake.first(`grep -E '^(NoNewPrivs|CapEff|CapBnd)' /proc/self/status >'${fake.folder}/rights'`);
    const rights = async (asRoot: boolean) => {
      await (await prepared({}, { asRoot })).manifest("web:1");
      rmSync(folder, { recursive: true });
      folder = mkdtempSync(join(tmpdir(), PULLED));
      return readFileSync(join(fake.folder, "rights"), "utf8");
    };
    expect(await rights(false)).toMatch(/NoNewPrivs:\s1\n/);
    if (process.getuid?.() === 0) expect(await rights(true)).toMatch(/CapEff:\s0+\nCapBnd:\s0+\nNoNewPrivs:\s1\n/);
  });

  test("with the certificates of each host where it looks for them", async () => {
    for (const name of ["ca", "cert", "key"]) writeFileSync(inside(name), `the ${name}`);
    const client = [[inside("cert"), inside("key")]] as const;
    const secure = { ...ownHost("m.example:5000"), location: "m.example:5000/path", ca: [inside("ca")], client };
    await prepared({ hosts: [secure, { ...ownHost("m.example:5000"), ca: [inside("ca")] }, ownHost("r.example")] });
    const certs = inside("home/.config/containers/certs.d");
    expect(readdirSync(certs)).toEqual(["m.example:5000"]);
    const found = readdirSync(join(certs, "m.example:5000")).sort();
    expect(found.map((name) => [name, readFileSync(join(certs, "m.example:5000", name), "utf8")])).toEqual([
      ["0-0.cert", "the cert"],
      ["0-0.crt", "the ca"],
      ["0-0.key", "the key"],
      ["1-0.crt", "the ca"],
    ]);
  });

  test("not without a certificate that is named", async () => {
    const hosts = [{ ...ownHost("r.example"), ca: [inside("none.crt")] }] as const;
    await expect(prepared({ hosts })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(/^a certificate for r\.example cannot be read: .*none\.crt/),
    });
  });
});

describe("skopeo fails", () => {
  test.each([
    [`echo 'time="x" level=fatal msg="no such image"' >&2; exit 1`, "no such image"],
    ["exit 3", "skopeo ended with code 3"],
  ])("with what it said at its end: %s", async (script, message) => {
    fake.first(script);
    await expect((await prepared()).manifest("web:1")).rejects.toMatchObject({ code: "unknown", message });
  });

  test("with an answer above 8 MiB", async () => {
    fake.first("head -c 8388609 /dev/zero; sleep 60");
    await expect((await prepared()).manifest("web:1")).rejects.toMatchObject({
      code: "invalid-argument",
      message: "the registry's answer has more than 8388608 bytes",
    });
  });

  test("without a byte for as long as the options say", async () => {
    fake.first("sleep 60");
    await expect((await prepared({ timeout: 3 })).manifest("web:1")).rejects.toMatchObject({
      code: "deadline-exceeded",
      message: "no byte came from r.example for 3 s",
    });
  });

  test("not while bytes come, however long it takes", async () => {
    fake.first(`until test -f "$TMPDIR/go"; do sleep 0.01; done`);
    fake.put("manifests", "1", "late");
    let [time, looks] = [0, 0];
    const schedule: Clock["schedule"] = (_milliseconds, run) => {
      time += 6_000;
      appendFileSync(inside("blobs/more"), "x");
      if (++looks === 5) writeFileSync(inside("go"), "");
      return systemClock.schedule(1, run);
    };
    const clock = { ...systemClock, monotonic: () => time, schedule };
    expect(await (await prepared({ timeout: 10 }, { clock })).manifest("web:1")).toBe("late");
    expect(looks).toBeGreaterThanOrEqual(5);
  });

  test("with more bytes than the manifest says, and what is left free beside layers", async () => {
    fake.first(`for n in 1 2; do head -c 16777217 /dev/zero >"$TMPDIR/blobs/$n"; done; sleep 60`);
    await expect((await prepared()).copy("web:1", 1)).rejects.toMatchObject({
      code: "invalid-argument",
      message: "r.example sends more than the 1 bytes of the manifest",
    });
  });

  test("with a file larger than it may be", async () => {
    fake.first(`head -c 33554946 /dev/zero >"$TMPDIR/blobs/1" || exit 7`);
    await expect((await prepared()).copy("web:1", 1)).rejects.toThrow();
    expect(statSync(inside("blobs/1")).size).toBeLessThanOrEqual(33_554_432 + 512);
  });

  test("once its pull is given up, with the reason; later ones do not start", async () => {
    fake.first("sleep 60");
    const abort = new AbortController();
    const skopeo = await prepared({ signal: abort.signal });
    const asked = skopeo.manifest("web:1");
    setTimeout(() => abort.abort(new Error("given up")), 30);
    await expect(asked).rejects.toThrow("given up");
    await expect(skopeo.config("web:1")).rejects.toThrow("given up");
    expect(fake.starts().length).toBeLessThanOrEqual(1);
  });
});

describe("a blob that skopeo brought", () => {
  test("is a file of the manifest's size, or of any where it names none", async () => {
    const skopeo = await prepared();
    writeFileSync(inside(`blobs/sha256/${HEX}`), "12345");
    expect(await skopeo.blob(HEX, 5)).toBe(inside(`blobs/sha256/${HEX}`));
    expect(await skopeo.blob(HEX, undefined)).toBe(inside(`blobs/sha256/${HEX}`));
    const refused = (message: string) => expect.objectContaining({ code: "invalid-argument", message });
    await expect(skopeo.blob(HEX, 6)).rejects.toEqual(refused(`blob sha256:${HEX}: expected 6 bytes, found 5 bytes`));
    await skopeo.drop(HEX);
    await skopeo.drop(HEX);
    await expect(skopeo.blob(HEX, 6)).rejects.toEqual(refused(`blob sha256:${HEX}: expected 6 bytes, found nothing`));
    await expect(skopeo.blob(HEX, undefined)).rejects.toEqual(
      refused(`blob sha256:${HEX}: expected some bytes, found nothing`),
    );
  });

  test("is no folder", async () => {
    const skopeo = await prepared();
    rmSync(inside("blobs/sha256"), { recursive: true });
    await expect(skopeo.blob(HEX, undefined)).rejects.toThrow("found nothing");
    const { size } = statSync(inside("blobs"));
    writeFileSync(inside("x"), "");
    await expect(skopeo.blob("..", size)).rejects.toThrow(/expected \d+ bytes, found \d+ bytes/);
  });
});

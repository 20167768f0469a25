/** skopeo, for one pull: a process without rights, which sees its own folder as /tmp and ends with the agent. */
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { chown, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RuntimeError } from "@hooklet/core/host";
import { type PullCredentials, pause } from "@hooklet/core/subsystem";
import { readBounded } from "@hooklet/linux";
import { type PipedProcess, spawnPiped } from "../command/spawn.js";
import type { Deps } from "../deps.js";
import { killSession } from "../exec/session.js";
import { MAX_JSON } from "../image/manifest.js";
import { allowing, unlessMissing } from "../state-text.js";
import { LARGEST_FILE, type RegistryHosts } from "./hosts-toml.js";
import { authFile, domainOf, registriesConf, skopeoError } from "./skopeo-files.js";

export type SkopeoDeps = Pick<Deps, "clock" | "tools" | "scripts" | "isolation" | "asRoot" | "signals">;

export interface SkopeoOptions {
  readonly program: string;
  /** Empty: it gets all that skopeo reads and writes. */
  readonly folder: string;
  readonly registry: string;
  readonly hosts: RegistryHosts;
  readonly credentials: PullCredentials | undefined;
  /** Seconds without a byte more. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Numbers that no user of the machine has: nothing else runs as one of them. */
const [FIRST_UID, LAST_UID] = [0x7000_0000, 0x7fff_0000];
const BLOCK = 512;
/** Bytes that skopeo writes beside layers. */
const OTHER_FILES = 32 * 2 ** 20;
const MOST_SAID = 64 * 1024;
const LOOK_MS = 500;
const POLICY = "/etc/containers/policy.json";
/** What containerd takes from its environment, too. */
const HANDED_ON = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
];

export class Skopeo {
  private constructor(
    private readonly deps: SkopeoDeps,
    private readonly options: SkopeoOptions,
    /** Undefined: it runs as the agent's own user. */
    private readonly uid: number | undefined,
  ) {}

  static async prepare(deps: SkopeoDeps, options: SkopeoOptions): Promise<Skopeo> {
    const { folder, hosts, credentials, registry } = options;
    const uid = randomInt(FIRST_UID, LAST_UID);
    // In a user namespace most numbers do not exist.
    const isApart =
      deps.asRoot && deps.isolation.mode === "root" && (await allowing(["EINVAL", "EPERM"], chown(folder, uid, uid)));
    const skopeo = new Skopeo(deps, options, isApart ? uid : undefined);
    await skopeo.#folder("blobs");
    await skopeo.#folder("blobs/sha256");
    await skopeo.#file("auth.json", authFile(hosts, credentials));
    await skopeo.#file("registries.conf", registriesConf(registry, hosts));
    await skopeo.#certificates(hosts);
    return skopeo;
  }

  /** The text of a manifest or an index. */
  manifest(image: string): Promise<string> {
    return this.#run(["inspect", "--raw", "--authfile", this.#seen("auth.json"), `docker://${image}`], 0);
  }

  /** The text of its config. */
  config(image: string): Promise<string> {
    return this.#run(["inspect", "--config", "--raw", "--authfile", this.#seen("auth.json"), `docker://${image}`], 0);
  }

  /** A blob that skopeo need not get. */
  async skip(hex: string): Promise<void> {
    await this.#file(join("blobs/sha256", hex), "");
  }

  /** Gets all other blobs of a manifest. `bytes`: what they have together. */
  async copy(image: string, bytes: number): Promise<void> {
    const words = [
      "copy",
      "--quiet",
      "--src-authfile",
      this.#seen("auth.json"),
      "--dest-oci-accept-uncompressed-layers",
    ];
    const target = ["--dest-shared-blob-dir", this.#seen("blobs"), `docker://${image}`, `oci:${this.#seen("layout")}`];
    await this.#run([...words, ...target], bytes);
  }

  /** Where a blob lies that `copy` has brought. Throws `invalid-argument` for what else may lie there. */
  async blob(hex: string, size: number | undefined): Promise<string> {
    const path = join(this.options.folder, "blobs/sha256", hex);
    const found = await unlessMissing(lstat(path));
    if (found?.isFile() === true && found.size === (size ?? found.size)) return path;
    const is = found === undefined ? "nothing" : `${found.size} bytes`;
    throw new RuntimeError("invalid-argument", `blob sha256:${hex}: expected ${size ?? "some"} bytes, found ${is}`);
  }

  /** Deletes a blob that has been read. */
  async drop(hex: string): Promise<void> {
    await rm(join(this.options.folder, "blobs/sha256", hex), { force: true });
  }

  /** As skopeo sees it. */
  #seen(name: string): string {
    return join(this.uid === undefined ? this.options.folder : "/tmp", name);
  }

  async #folder(name: string): Promise<void> {
    const path = join(this.options.folder, name);
    await mkdir(path, { mode: 0o700 });
    if (this.uid !== undefined) await chown(path, this.uid, this.uid);
  }

  async #file(name: string, text: string): Promise<void> {
    const path = join(this.options.folder, name);
    await writeFile(path, text, { mode: 0o600, flag: "wx" });
    if (this.uid !== undefined) await chown(path, this.uid, this.uid);
  }

  /** In the home folder, where it finds those of each host. */
  async #certificates(hosts: RegistryHosts): Promise<void> {
    for (const name of ["home", "home/.config", "home/.config/containers", "home/.config/containers/certs.d"]) {
      await this.#folder(name);
    }
    for (const [number, host] of hosts.entries()) {
      if (host.ca.length + host.client.length === 0) continue;
      const folder = `home/.config/containers/certs.d/${domainOf(host)}`;
      if (!existsSync(join(this.options.folder, folder))) await this.#folder(folder);
      const copies = [
        ...host.ca.map((file, at) => [file, `${number}-${at}.crt`] as const),
        ...host.client.flatMap(([certificate, key], at) => [
          [certificate, `${number}-${at}.cert`] as const,
          [key, `${number}-${at}.key`] as const,
        ]),
      ];
      for (const [from, to] of copies) {
        const text = await readBounded(from, { maxBytes: LARGEST_FILE }).catch((error: unknown) => {
          throw new RuntimeError("invalid-argument", `a certificate for ${domainOf(host)} cannot be read: ${error}`);
        });
        await this.#file(join(folder, to), text);
      }
    }
  }

  async #run(words: readonly string[], bytes: number): Promise<string> {
    const { deps, options } = this;
    options.signal.throwIfAborted();
    const [file = "", ...args] = this.#commandLine(words, bytes);
    const child = await spawnPiped(file, args, { stdin: false, env: this.#environment() });
    const stop = new AbortController();
    const kill = (reason: unknown): void => {
      if (stop.signal.aborted) return;
      stop.abort(reason);
      void killSession(deps, child.pid);
    };
    const onAbort = (): void => kill(options.signal.reason);
    options.signal.addEventListener("abort", onAbort, { once: true });
    if (options.signal.aborted) onAbort();
    const ended = new AbortController();
    try {
      const stdout = collected(child, "stdout", MAX_JSON, kill);
      const stderr = collected(child, "stderr", MOST_SAID, () => undefined);
      void this.#watch(bytes, ended.signal, kill);
      const code = await child.exited;
      const [out, said] = await Promise.all([stdout, stderr]);
      stop.signal.throwIfAborted();
      if (code !== 0) throw new RuntimeError("unknown", skopeoError(said, code));
      return out;
    } finally {
      ended.abort();
      options.signal.removeEventListener("abort", onAbort);
    }
  }

  #commandLine(words: readonly string[], bytes: number): readonly string[] {
    const { asRoot, tools, scripts } = this.deps;
    const { program, folder } = this.options;
    const isApart = this.uid !== undefined;
    const rights = [
      ...(isApart ? ["--reuid", String(this.uid), "--regid", String(this.uid), "--clear-groups"] : []),
      ...(asRoot ? ["--inh-caps=-all", "--bounding-set=-all"] : []),
      "--no-new-privs",
      "--pdeathsig",
      "KILL",
    ];
    const policy = existsSync(POLICY) ? [] : ["--insecure-policy"];
    return [
      ...(isApart ? [tools.unshare, "-m"] : []),
      tools.sh,
      scripts.pull,
      isApart ? folder : "",
      String(Math.ceil((bytes + OTHER_FILES) / BLOCK)),
      tools.mount,
      tools.setpriv,
      ...rights,
      "--",
      program,
      "--override-os",
      "linux",
      "--registries-conf",
      this.#seen("registries.conf"),
      "--tmpdir",
      this.#seen(""),
      ...policy,
      ...words,
    ];
  }

  #environment(): Readonly<Record<string, string>> {
    const own = { HOME: this.#seen("home"), TMPDIR: this.#seen(""), XDG_RUNTIME_DIR: this.#seen("") };
    const given = HANDED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
    return { ...Object.fromEntries(given), ...own };
  }

  /** Ends a process that gets no further, and one that writes more than it should. */
  async #watch(bytes: number, ended: AbortSignal, kill: (reason: unknown) => void): Promise<void> {
    const { clock } = this.deps;
    const { folder, timeout, registry } = this.options;
    let [seen, since] = [-1, clock.monotonic()];
    for (;;) {
      await pause(clock, LOOK_MS, ended);
      if (ended.aborted) return;
      const size = await bytesIn(folder);
      if (size > bytes + OTHER_FILES) {
        kill(new RuntimeError("invalid-argument", `${registry} sends more than the ${bytes} bytes of the manifest`));
      } else if (size !== seen) [seen, since] = [size, clock.monotonic()];
      else if (clock.monotonic() - since > timeout * 1000) {
        kill(new RuntimeError("deadline-exceeded", `no byte came from ${registry} for ${timeout} s`));
      }
    }
  }
}

/** What it writes to one of its outputs. More than `most` bytes: `tooMuch` is called, and the rest is left out. */
async function collected(
  child: PipedProcess,
  name: "stdout" | "stderr",
  most: number,
  tooMuch: (reason: unknown) => void,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of child[name] as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= most) chunks.push(chunk);
    else tooMuch(new RuntimeError("invalid-argument", `the registry's answer has more than ${most} bytes`));
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Files come and go meanwhile. */
async function bytesIn(folder: string): Promise<number> {
  let sum = 0;
  for (const entry of (await unlessMissing(readdir(folder, { withFileTypes: true, recursive: true }))) ?? []) {
    if (entry.isFile()) sum += (await unlessMissing(lstat(join(entry.parentPath, entry.name))))?.size ?? 0;
  }
  return sum;
}

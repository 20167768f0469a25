/** A real registry on this machine, with TLS and a password, behind a gate that can hold up what comes from it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Transform } from "node:stream";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { sha256 } from "./real/image/archives.js";

const run = promisify(execFile);
const missing = ["skopeo", "docker-registry", "htpasswd", "openssl"].filter(
  (name) => !(process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, name))),
);

/** Why there is none here. */
export const noRegistry =
  missing.length === 0
    ? undefined
    : `${missing.join(", ")} not installed: apt-get install skopeo docker-registry apache2-utils openssl`;
if (noRegistry !== undefined && process.env.HOOKLET_TEST_REQUIRE)
  throw new Error(`HOOKLET_TEST_REQUIRE is set, but ${noRegistry}`);

export const login = { username: "me", password: "secret" };

export interface PushedImage {
  /** Tar files, lowest first. */
  readonly layers: readonly Buffer[];
  readonly config?: Record<string, unknown>;
  /** In place of the true digests of the layers. */
  readonly diffIds?: readonly string[];
  /** As docker writes it; default: as the OCI. */
  readonly docker?: boolean;
}

export class Registry {
  readonly #sockets = new Set<Socket>();
  /** Bytes that still come through the gate; undefined: all. */
  allowed: number | undefined;

  private constructor(
    readonly folder: string,
    private readonly process: ChildProcess,
    private readonly gate: Server,
  ) {}

  static async start(): Promise<Registry> {
    const folder = await mkdtemp(join(tmpdir(), "hooklet-registry-"));
    const inside = (name: string): string => join(folder, name);
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", inside("key.pem")];
    await run("openssl", ["req", "-x509", ...key, "-days", "2", "-out", inside("ca.crt"), ...names]);
    const { stdout: users } = await run("htpasswd", ["-Bbn", login.username, login.password]);
    await writeFile(inside("users"), users);
    const config = {
      version: 0.1,
      storage: { filesystem: { rootdirectory: inside("data") } },
      http: { addr: "127.0.0.1:0", tls: { certificate: inside("ca.crt"), key: inside("key.pem") } },
      auth: { htpasswd: { realm: "test", path: inside("users") } },
    };
    await writeFile(inside("config.yml"), JSON.stringify(config));
    const child = spawn("docker-registry", ["serve", inside("config.yml")], { stdio: ["ignore", "ignore", "pipe"] });
    const port = await listening(child);
    const gate = createServer();
    const registry = new Registry(folder, child, gate);
    gate.on("connection", (client) => registry.#through(client, port));
    await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
    await mkdir(join(registry.certsD, registry.host), { recursive: true });
    await registry.hosts(`server = "https://${registry.host}"\nca = "${inside("ca.crt")}"\n`);
    return registry;
  }

  get host(): string {
    return `localhost:${(this.gate.address() as AddressInfo).port}`;
  }

  /** containerd's `config_path`. */
  get certsD(): string {
    return join(this.folder, "certs.d");
  }

  /** Writes the hosts.toml of a registry; default: this one's. */
  async hosts(text: string, host = this.host): Promise<void> {
    await mkdir(join(this.certsD, host), { recursive: true });
    await writeFile(join(this.certsD, host, "hosts.toml"), text);
  }

  /** Returns the name under which it is pulled, and the digests of manifest and layers. */
  async push(
    name: string,
    { layers, config = {}, diffIds, docker = false }: PushedImage,
  ): Promise<{ readonly image: string; readonly digest: string; readonly blobs: readonly string[] }> {
    const source = await mkdtemp(join(this.folder, "push-"));
    const put = async (mediaType: string, data: Buffer | string) => {
      await writeFile(join(source, sha256(data)), data);
      return { mediaType, digest: `sha256:${sha256(data)}`, size: Buffer.byteLength(data) };
    };
    const [ofConfig, ofLayer, ofManifest] = docker
      ? ["container.image.v1+json", "image.rootfs.diff.tar.gzip", "distribution.manifest.v2+json"].map(
          (kind) => `application/vnd.docker.${kind}`,
        )
      : ["config.v1+json", "layer.v1.tar+gzip", "manifest.v1+json"].map((kind) => `application/vnd.oci.image.${kind}`);
    const rootfs = { type: "layers", diff_ids: diffIds ?? layers.map((layer) => `sha256:${sha256(layer)}`) };
    const text = JSON.stringify({ architecture: "amd64", os: "linux", config, rootfs });
    const blobs = await Promise.all(layers.map((layer) => put(ofLayer ?? "", gzipSync(layer))));
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: ofManifest,
      config: await put(ofConfig ?? "", text),
      layers: blobs,
    });
    await writeFile(join(source, "manifest.json"), manifest);
    await writeFile(join(source, "version"), "Directory Transport Version: 1.1\n");
    const image = `${this.host}/${name}`;
    const shown = ["--dest-creds", `${login.username}:${login.password}`, "--dest-tls-verify=false"];
    await run("skopeo", ["--insecure-policy", "copy", "--quiet", ...shown, `dir:${source}`, `docker://${image}`]);
    await rm(source, { recursive: true });
    return { image, digest: `sha256:${sha256(manifest)}`, blobs: blobs.map(({ digest }) => digest) };
  }

  /** An index of what was pushed under the same name. Returns its digest. */
  async pushIndex(
    name: string,
    manifests: readonly { readonly digest: string; readonly platform: object }[],
  ): Promise<string> {
    const [repository = "", tag = ""] = name.split(":");
    const mediaType = "application/vnd.oci.image.index.v1+json";
    const of = "application/vnd.oci.image.manifest.v1+json";
    const sized = await Promise.all(
      manifests.map(async (one) => ({ mediaType: of, size: (await stat(this.blobFile(one.digest))).size, ...one })),
    );
    const text = JSON.stringify({ schemaVersion: 2, mediaType, manifests: sized });
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        method: "PUT",
        auth: `${login.username}:${login.password}`,
        headers: { "content-type": mediaType },
        rejectUnauthorized: false,
        agent: false,
      };
      request(`https://${this.host}/v2/${repository}/manifests/${tag}`, options, resolve).on("error", reject).end(text);
    });
    answer.resume();
    if (answer.statusCode !== 201) throw new Error(`the registry answers ${answer.statusCode}`);
    return `sha256:${sha256(text)}`;
  }

  /** Where it keeps a blob. */
  blobFile(digest: string): string {
    const hex = digest.replace("sha256:", "");
    return join(this.folder, "data/docker/registry/v2/blobs/sha256", hex.slice(0, 2), hex, "data");
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.gate.close(resolve));
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGKILL");
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }

  #through(client: Socket, port: number): void {
    const server = connect(port, "127.0.0.1");
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => this.#sockets.delete(socket));
    }
    const hold = new Transform({
      transform: (data: Buffer, _encoding, done) => {
        if (this.allowed !== undefined) this.allowed -= data.length;
        // Otherwise never: nothing more comes, and the line stays open.
        if ((this.allowed ?? 0) >= 0) done(null, data);
      },
    });
    client.on("close", () => server.destroy()).pipe(server);
    server.pipe(hold).pipe(client);
  }
}

/** Its port, which it tells. */
async function listening(child: ChildProcess): Promise<number> {
  let said = "";
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error(`the registry ended: ${said}`)));
    child.stderr?.on("data", (data: Buffer) => {
      said += data.toString();
      const port = /listening on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}

/** A registry (distribution API v2) that serves the images of docker archives, under any tag. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";

interface Blob {
  readonly digest: string;
  readonly data: Buffer;
  readonly type: string;
}

type Image = readonly [manifest: Blob, ...blobs: Blob[]];

export interface RegistryOptions {
  /** Repository, or `*` for every other one: the docker archive that it serves. */
  readonly archives: Readonly<Record<string, string>>;
  /** First part of the repositories that ask for a password (Basic). */
  readonly guarded?: { readonly prefix: string; readonly user: string; readonly password: string };
}

export class Registry {
  /** Asked by tag: one such question is one pull. Repository, then how often. */
  readonly pulls = new Map<string, number>();
  /** Repositories that are being pulled while `hold` is on, in the order of arrival. */
  readonly waiting: string[] = [];
  #held = false;
  #release: (() => void)[] = [];

  private constructor(
    private readonly server: http.Server,
    private readonly images: ReadonlyMap<string, Image>,
    private readonly options: RegistryOptions,
  ) {}

  static async start(options: RegistryOptions): Promise<Registry> {
    const server = http.createServer();
    const read = Object.entries(options.archives).map(([name, archive]) => [name, imageOf(archive)] as const);
    const registry = new Registry(server, new Map(read), options);
    server.on("request", (request, response) => registry.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return registry;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on pulls get no answer until `release`. */
  hold(): void {
    this.#held = true;
  }

  /** Answers those that wait; later ones wait again until `resume`. */
  release(): void {
    this.waiting.length = 0;
    for (const go of this.#release.splice(0)) go();
  }

  resume(): void {
    this.#held = false;
    this.release();
  }

  async stop(): Promise<void> {
    this.resume();
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  #answer({ method = "GET", url = "/", headers }: http.IncomingMessage, response: http.ServerResponse): void {
    const [, repository = "", kind, reference = ""] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/?]+)/.exec(url) ?? [];
    if (this.#refused(repository, headers.authorization)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end();
      return;
    }
    const byTag = kind === "manifests" && !reference.startsWith("sha256:");
    const image = this.images.get(repository) ?? this.images.get("*");
    const wanted = byTag ? image?.[0] : image?.find(({ digest }) => digest === reference);
    if (wanted === undefined) {
      response.writeHead(404).end();
      return;
    }
    const send = (): void => {
      const { data, type, digest } = wanted;
      const about = { "content-type": type, "content-length": data.length, "docker-content-digest": digest };
      response.writeHead(200, about).end(method === "HEAD" ? undefined : data);
    };
    if (byTag) this.pulls.set(repository, (this.pulls.get(repository) ?? 0) + 1);
    if (byTag && this.#held) {
      this.waiting.push(repository);
      this.#release.push(send);
    } else send();
  }

  #refused(repository: string, authorization: string | undefined): boolean {
    if (this.options.guarded === undefined) return false;
    const { prefix, user, password } = this.options.guarded;
    const basic = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
    return repository.startsWith(`${prefix}/`) && authorization !== basic;
  }
}

function imageOf(archive: string): Image {
  const folder = mkdtempSync(path.join(tmpdir(), "hooklet-registry-"));
  try {
    execFileSync("tar", ["-xf", archive, "-C", folder]);
    const [entry] = JSON.parse(readFileSync(path.join(folder, "manifest.json"), "utf8")) as [
      { Config: string; Layers: readonly string[] },
    ];
    const blob = (file: string, type: string): Blob => blobOf(readFileSync(path.join(folder, file)), type);
    const config = blob(entry.Config, "application/vnd.docker.container.image.v1+json");
    const layers = entry.Layers.map((file) => blob(file, "application/vnd.docker.image.rootfs.diff.tar"));
    const about = ({ data, type, digest }: Blob) => ({ mediaType: type, size: data.length, digest });
    const manifest = { schemaVersion: 2, mediaType: MANIFEST, config: about(config), layers: layers.map(about) };
    return [blobOf(Buffer.from(JSON.stringify(manifest)), MANIFEST), config, ...layers];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function blobOf(data: Buffer, type: string): Blob {
  return { data, type, digest: `sha256:${createHash("sha256").update(data).digest("hex")}` };
}

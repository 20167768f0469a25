/** An image archive as `docker save`, `podman save`, `skopeo` or `buildah` write it. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Transform } from "node:stream";
import { RuntimeError } from "@hooklet/core/host";
import { z } from "zod";
import type { Budget } from "./bounds.js";
import { forThisMachine, hexOf, MAX_JSON, parseIndex, parseJson, parseManifest } from "./manifest.js";
import { copyContent, readTar } from "./tar.js";

const dockerManifest = z
  .array(
    z.object({ Config: z.string(), Layers: z.array(z.string()).max(512), RepoTags: z.array(z.string()).nullish() }),
  )
  .min(1);

export interface UnpackedArchive {
  /** JSON text of the image's config. */
  readonly config: string;
  /** `sha256:<hex>` of that text: the image's id. */
  readonly id: string;
  /** Files of the layers, lowest first. */
  readonly layers: readonly string[];
  /** `sha256:<hex>` of the manifest, for OCI archives. */
  readonly manifestDigest?: string;
}

/** Spools the members of an archive to `folder`, each checked against its digest, and reads its manifest. */
export async function unpackArchive(path: string, folder: string, budget: Budget): Promise<UnpackedArchive> {
  const members = new Map<string, string>();
  const digests = new Map<string, string>();
  await readTar(path, budget, async (header, content) => {
    budget.takeEntry();
    if (header.type === "symlink" || header.type === "link") {
      const target =
        header.type === "link" ? (header.linkname ?? "") : join(dirname(header.name), header.linkname ?? "");
      const source = members.get(memberName(target));
      if (source !== undefined) members.set(memberName(header.name), source);
      return;
    }
    if (header.type !== "file") return;
    const file = join(folder, String(members.size));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const hash = createHash("sha256");
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    await copyContent(content, meter, createWriteStream(file, { flags: "wx", mode: 0o600 }));
    members.set(memberName(header.name), file);
    digests.set(file, hash.digest("hex"));
  });
  return new ArchiveReader(path, members, digests).read();
}

/** Older docker archives link one layer to another. */
function memberName(name: string): string {
  return name
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

class ArchiveReader {
  constructor(
    readonly path: string,
    readonly members: ReadonlyMap<string, string>,
    readonly digests: ReadonlyMap<string, string>,
  ) {}

  async read(): Promise<UnpackedArchive> {
    if (this.members.has("index.json")) return this.#oci();
    if (this.members.has("manifest.json")) return this.#docker();
    throw new RuntimeError(
      "invalid-argument",
      `${this.path} is no image archive: expected manifest.json (docker save) or index.json (OCI layout) in it; to import a root file system unpack it and import the directory`,
    );
  }

  async #docker(): Promise<UnpackedArchive> {
    const images = parseJson(await this.#json("manifest.json"), dockerManifest, "manifest.json");
    const image = images[0];
    if (image === undefined || images.length > 1) throw this.#several(images.length);
    const config = await this.#json(image.Config);
    return { config, id: `sha256:${sha256(config)}`, layers: image.Layers.map((name) => this.#file(name)) };
  }

  async #oci(): Promise<UnpackedArchive> {
    let found = parseIndex(await this.#json("index.json"), "index.json");
    for (let depth = 0; depth < 4; depth++) {
      const [chosen, ...others] = forThisMachine(found, this.path);
      if (others.length > 0) throw this.#several(others.length + 1);
      const text = await this.#json(blobName(chosen.digest));
      this.#checkDigest(blobName(chosen.digest), chosen.digest);
      const parsed = parseManifest(text, chosen.digest);
      if ("index" in parsed) {
        found = parsed.index;
        continue;
      }
      const { manifest } = parsed;
      const config = await this.#json(blobName(manifest.config.digest));
      for (const { digest } of [manifest.config, ...manifest.layers]) this.#checkDigest(blobName(digest), digest);
      return {
        config,
        id: manifest.config.digest,
        layers: manifest.layers.map(({ digest }) => this.#file(blobName(digest))),
        manifestDigest: chosen.digest,
      };
    }
    throw new RuntimeError("invalid-argument", `${this.path}: the index points to indexes more than 4 deep`);
  }

  #several(count: number): RuntimeError {
    return new RuntimeError(
      "invalid-argument",
      `${this.path} holds ${count} images; expected one: save each to a file of its own`,
    );
  }

  #file(name: string): string {
    const file = this.members.get(memberName(name));
    if (file !== undefined) return file;
    throw new RuntimeError(
      "invalid-argument",
      `${this.path}: ${name} is named by the manifest and is not in the archive`,
    );
  }

  async #json(name: string): Promise<string> {
    const file = this.#file(name);
    const { size } = await stat(file);
    if (size > MAX_JSON) {
      throw new RuntimeError(
        "invalid-argument",
        `${this.path}: ${name} has ${size} bytes, at most ${MAX_JSON} are read`,
      );
    }
    return readFile(file, "utf8");
  }

  #checkDigest(name: string, digest: string): void {
    const found = `sha256:${this.digests.get(this.#file(name))}`;
    if (found === digest) return;
    throw new RuntimeError("invalid-argument", `${this.path}: ${name} is damaged: expected ${digest}, found ${found}`);
  }
}

function blobName(digest: string): string {
  return `blobs/sha256/${hexOf(digest)}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

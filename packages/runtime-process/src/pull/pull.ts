/** Pulls an image: what it consists of is asked first, and only what no other image here has is brought. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { nodeCredentials, RuntimeError } from "@hooklet/core/host";
import { parseReference } from "@hooklet/core/rules";
import { errno, type PullCredentials } from "@hooklet/core/subsystem";
import { removeTree } from "@hooklet/linux";
import { Budget, type ImageBounds } from "../image/bounds.js";
import { recordOf } from "../image/image-record.js";
import { LayerWriter } from "../image/layer.js";
import { Layers } from "../image/layers.js";
import {
  type Descriptor,
  forThisMachine,
  hexOf,
  type Manifest,
  parseImageConfig,
  parseManifest,
} from "../image/manifest.js";
import { type ImageStore, layersOf, rootfsOf } from "../image/store.js";
import { tempName } from "../image/temp.js";
import { findHosts } from "./hosts-toml.js";
import { Skopeo, type SkopeoDeps } from "./skopeo.js";

export interface PullDeps extends SkopeoDeps {
  readonly images: ImageStore;
}

export interface PullOptions {
  readonly program: string;
  /** containerd's `config_path`. */
  readonly configPath: string;
  readonly credentialFiles: readonly string[];
  readonly timeout: number;
  readonly bounds: ImageBounds;
}

/** Indexes that point to indexes. */
const DEEPEST = 4;

/** Throws `image-never-pull` naming each way to the image. */
export function needSkopeo(program: string | undefined, image: string): string {
  if (program !== undefined) return program;
  throw new RuntimeError(
    "image-never-pull",
    `image ${image} is not present, and skopeo, which pulls images, is not installed: install it (on Debian: apt-get install skopeo), import the image with \`hooklet image import ${image} FILE.tar|DIR\`, or use image \`host\`, the machine's own files`,
  );
}

/**
 * Returns the image's id. Nothing of a failed pull stays behind. Without `given`, the credentials of the node that fit are tried in turn,
 * as the kubelet does; the last refusal counts. Rejects with the signal's reason once it aborts.
 */
export async function pullImage(
  deps: PullDeps,
  options: PullOptions,
  name: string,
  given: PullCredentials | undefined,
  signal: AbortSignal,
): Promise<string> {
  const found = given === undefined ? await nodeCredentials(name, options.credentialFiles) : [given];
  let refusal: unknown;
  for (const credentials of found.length === 0 ? [undefined] : found) {
    try {
      return await pullOnce(deps, options, name, credentials, signal);
    } catch (error) {
      signal.throwIfAborted();
      refusal = error;
    }
  }
  throw refusal;
}

async function pullOnce(
  deps: PullDeps,
  options: PullOptions,
  name: string,
  credentials: PullCredentials | undefined,
  signal: AbortSignal,
): Promise<string> {
  const { images } = deps;
  const temp = join(images.layout.imageTemp, tempName());
  try {
    const folder = join(temp, "skopeo");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const [registry = ""] = parseReference(name).repository.split("/", 1);
    const hosts = await findHosts(options.configPath, registry);
    const { program, timeout } = options;
    const skopeo = await Skopeo.prepare(deps, { program, timeout, folder, registry, hosts, credentials, signal });
    return await new Pull(images, options.bounds, skopeo, name, signal).run(join(temp, "image"));
  } catch (error) {
    if (errno(error) !== "ENOSPC" || signal.aborted) throw error;
    throw new RuntimeError("resource-exhausted", `no space left on the disk of ${images.layout.images}: make room`, {
      cause: error,
    });
  } finally {
    await removeTree(temp);
  }
}

class Pull {
  readonly #repository: string;
  readonly #names: readonly string[];
  readonly #budget: Budget;

  constructor(
    private readonly images: ImageStore,
    bounds: ImageBounds,
    private readonly skopeo: Skopeo,
    private readonly name: string,
    private readonly signal: AbortSignal,
  ) {
    const { repository, tag, digest } = parseReference(name);
    this.#repository = repository;
    this.#names = digest === undefined ? [`${repository}:${tag}`] : [];
    this.#budget = new Budget(bounds);
  }

  async run(image: string): Promise<string> {
    const { tag, digest } = parseReference(this.name);
    const asked = digest === undefined ? `${this.#repository}:${tag}` : `${this.#repository}@${digest}`;
    const text = await this.skopeo.manifest(asked);
    const found = `sha256:${sha256(text)}`;
    if (digest !== undefined && digest !== found) throw damaged(asked, digest, found);
    const names = [...this.#names, `${this.#repository}@${found}`];
    const present = await this.images.find(`${this.#repository}@${found}`);
    if (present !== undefined) {
      await this.images.name(present.id, names, { pulled: true });
      return present.id;
    }
    const { manifest, digest: own } = await this.#manifest(text, found);
    await mkdir(rootfsOf(image), { recursive: true, mode: 0o755 });
    const record = await this.#unpack(image, manifest, `${this.#repository}@${own}`);
    await this.images.add(image, record, names, { pulled: true });
    return record.id;
  }

  /** The one for this machine, where there are several. */
  async #manifest(first: string, digest: string): Promise<{ readonly manifest: Manifest; readonly digest: string }> {
    let [text, own] = [first, digest];
    for (let depth = 0; depth < DEEPEST; depth++) {
      const parsed = parseManifest(text, own);
      if ("manifest" in parsed) return { manifest: parsed.manifest, digest: own };
      [{ digest: own }] = forThisMachine(parsed.index, this.name);
      text = await this.skopeo.manifest(`${this.#repository}@sha256:${hexOf(own)}`);
      const found = `sha256:${sha256(text)}`;
      if (found !== own) throw damaged(`the manifest of ${this.name}`, own, found);
    }
    throw new RuntimeError("invalid-argument", `${this.name}: the index points to indexes more than ${DEEPEST} deep`);
  }

  async #unpack(image: string, manifest: Manifest, source: string): Promise<ReturnType<typeof recordOf>> {
    const text = await this.skopeo.config(source);
    const id = `sha256:${sha256(text)}`;
    if (id !== manifest.config.digest) throw damaged(`the config of ${this.name}`, manifest.config.digest, id);
    const { config, diffIds } = parseImageConfig(text, this.name, manifest.layers.length);
    if (diffIds === undefined) throw new RuntimeError("invalid-argument", `${this.name}: the config names no layers`);
    const layers = new Layers(layersOf(image), this.#budget, (layer) => this.images.layer(layer));
    const writer = new LayerWriter(rootfsOf(image), this.#budget);
    const missing = new Map<string, Descriptor>();
    for (const [index, layer] of manifest.layers.entries()) {
      const hex = hexOf(layer.digest);
      if (!(await layers.take(diffIds[index] ?? ""))) missing.set(hex, layer);
    }
    for (const { digest } of manifest.layers) {
      const hex = hexOf(digest);
      if (!missing.has(hex)) await this.skopeo.skip(hex);
    }
    if (missing.size > 0) await this.#bring(source, [...missing.values()]);
    for (const [index, layer] of manifest.layers.entries()) {
      this.signal.throwIfAborted();
      const what = `layer ${index + 1} of ${this.name}`;
      const blob = (): Promise<string> => this.#checked(layer, what);
      await layers.apply(await layers.bring(what, diffIds[index], blob), writer);
      // Frees the turn for the next one.
      await this.skopeo.drop(hexOf(layer.digest));
    }
    if (writer.skipped > 0) {
      this.images.log.info(
        { image: this.name, skipped: writer.skipped },
        "devices and pipes of the image were left out",
      );
    }
    return recordOf(id, config, this.#budget, layers.records);
  }

  async #bring(source: string, missing: readonly Descriptor[]): Promise<void> {
    const bytes = missing.reduce((sum, { size = 0 }) => sum + size, 0);
    const { maxBytes } = this.#budget.bounds;
    if (bytes > maxBytes) {
      throw new RuntimeError(
        "invalid-argument",
        `the layers have ${bytes} bytes; raise the runtime's option maxImageBytes (${maxBytes}) if that is right`,
      );
    }
    const { images } = this.images.layout;
    const { bavail, bsize } = await statfs(images);
    if (bytes > bavail * bsize) {
      throw new RuntimeError(
        "resource-exhausted",
        `no space left on the disk of ${images}: the layers have ${bytes} bytes, and ${bavail * bsize} are free`,
      );
    }
    await this.skopeo.copy(source, bytes);
  }

  async #checked({ digest, size }: Descriptor, what: string): Promise<string> {
    const path = await this.skopeo.blob(hexOf(digest), size);
    const hash = createHash("sha256");
    await pipeline(createReadStream(path), hash);
    const found = `sha256:${hash.digest("hex")}`;
    if (found !== digest) throw damaged(what, digest, found);
    return path;
  }
}

function damaged(what: string, expected: string, found: string): RuntimeError {
  return new RuntimeError("invalid-argument", `${what} is damaged: expected ${expected}, found ${found}`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

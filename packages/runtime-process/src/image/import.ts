/** Makes an image of a directory or an archive. Works with or without a running agent. */
import { mkdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { parseReference } from "@hooklet/core/rules";
import { removeTree } from "@hooklet/linux";
import { unpackArchive } from "./archive.js";
import { Budget, type ImageBounds } from "./bounds.js";
import { copyDirectory } from "./directory.js";
import { isHostImage, recordOf } from "./image-record.js";
import { LayerWriter } from "./layer.js";
import { Layers } from "./layers.js";
import { type ImageConfig, NO_CONFIG, parseImageConfig } from "./manifest.js";
import { type ImageStore, layersOf, rootfsOf } from "./store.js";
import { tempName } from "./temp.js";

interface Imported {
  readonly id: string;
  readonly config: ImageConfig;
  readonly manifestDigest?: string;
}

/**
 * Imports `path` under `name` and returns the image's id. A name that another image had goes over to this one. Nothing of a failed
 * import stays behind. Throws `invalid-image-name`, and `invalid-argument` for what cannot be read or is not allowed.
 */
export async function importImage(store: ImageStore, name: string, path: string, bounds: ImageBounds): Promise<string> {
  const { repository, digest } = parseReference(name);
  if (digest !== undefined || isHostImage(name)) {
    throw new RuntimeError(
      "invalid-image-name",
      `cannot import as ${name}: choose a name with a tag, and not the name host`,
    );
  }
  const source = await realpath(path).catch((error: unknown) => {
    throw new RuntimeError("invalid-argument", `cannot import ${path}: ${errorText(error)}`, { cause: error });
  });
  const temp = join(store.layout.imageTemp, tempName());
  const image = join(temp, "image");
  try {
    await mkdir(rootfsOf(image), { recursive: true, mode: 0o755 });
    const budget = new Budget(bounds);
    const writer = new LayerWriter(rootfsOf(image), budget);
    const layers = new Layers(layersOf(image), budget, (id) => store.layer(id));
    const found = (await stat(source)).isDirectory()
      ? await fromDirectory(source, writer, budget, store)
      : await fromArchive(source, writer, layers, join(temp, "members"));
    if (writer.skipped > 0) {
      store.log.info({ image: name, skipped: writer.skipped }, "devices and pipes of the image were left out");
    }
    const { manifestDigest } = found;
    const repoDigest = manifestDigest === undefined ? {} : { repoDigest: `${repository}@${manifestDigest}` };
    await store.add(image, { ...recordOf(found.id, found.config, budget, layers.records), ...repoDigest }, [name]);
    return found.id;
  } finally {
    await removeTree(temp);
  }
}

async function fromDirectory(
  source: string,
  writer: LayerWriter,
  budget: Budget,
  store: ImageStore,
): Promise<Imported> {
  const base = await realpath(store.layout.base);
  if (base === source || base.startsWith(source === "/" ? "/" : `${source}/`)) {
    throw new RuntimeError(
      "invalid-argument",
      `cannot import ${source}: hooklet's own state lies in it; for the machine's own files use image host`,
    );
  }
  const digest = await copyDirectory(source, writer, budget);
  return { id: `sha256:${digest}`, config: NO_CONFIG };
}

async function fromArchive(source: string, writer: LayerWriter, layers: Layers, members: string): Promise<Imported> {
  const archive = await unpackArchive(source, members, new Budget(writer.budget.bounds));
  const { config, diffIds } = parseImageConfig(archive.config, source, archive.layers.length);
  for (const [index, blob] of archive.layers.entries()) {
    await layers.apply(await layers.bring(`${source}: layer ${index + 1}`, diffIds?.[index], async () => blob), writer);
  }
  const { manifestDigest } = archive;
  return { id: archive.id, config, ...(manifestDigest !== undefined && { manifestDigest }) };
}

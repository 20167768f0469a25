/** The state files of images. */
import { createHash } from "node:crypto";
import type { Json } from "@hooklet/core";
import { decodeChecked, encodeChecked, writeFileAtomic } from "@hooklet/linux";
import { z } from "zod";
import { readState } from "../state-text.js";
import type { Budget } from "./bounds.js";
import type { ImageConfig } from "./manifest.js";

/** The one image that is always there. Pure. */

/** The machine's own files. */
export const HOST_IMAGE = "host";

/** `host`, also as `host:latest` and as `docker.io/library/host:latest`. */
export function isHostImage(name: string): boolean {
  return [HOST_IMAGE, `${HOST_IMAGE}:latest`, `docker.io/library/${HOST_IMAGE}:latest`].includes(name);
}

const layerRecord = z.object({
  /** `sha256:<hex>` of what is unpacked. */
  id: z.string(),
  /** Bytes. */
  size: z.number(),
  inodes: z.number(),
});

export type LayerRecord = z.infer<typeof layerRecord>;

const imageRecord = z.object({
  id: z.string(),
  /** Bytes of its files. */
  size: z.number(),
  inodes: z.number(),
  repoDigest: z.string().optional(),
  /** Those that other images can have in common with this one; none: it is made of a directory. */
  layers: z.array(layerRecord).optional(),
  config: z.object({
    env: z.array(z.string()),
    entrypoint: z.array(z.string()),
    cmd: z.array(z.string()),
    workingDir: z.string(),
    user: z.string(),
    stopSignal: z.string(),
  }),
});

export type ImageRecord = z.infer<typeof imageRecord>;

/** Of an image whose files have been counted by `budget`. */
export function recordOf(
  id: string,
  { env, entrypoint, cmd, ...rest }: ImageConfig,
  budget: Budget,
  layers: readonly LayerRecord[],
): ImageRecord {
  return {
    id,
    size: budget.bytes,
    inodes: budget.entries + 1,
    ...(layers.length > 0 && { layers: [...layers] }),
    config: { ...rest, env: [...env], entrypoint: [...entrypoint], cmd: [...cmd] },
  };
}

const nameRecord = z.object({
  name: z.string(),
  id: z.string(),
  /** A registry gave the image under this name. */
  pulled: z.boolean().optional(),
});

export type NameRecord = z.infer<typeof nameRecord>;

export const readImageRecord = (path: string) => read(path, imageRecord);
export const readNameRecord = (path: string) => read(path, nameRecord);

export function writeRecord(path: string, record: ImageRecord | NameRecord): Promise<void> {
  return writeFileAtomic(path, encodeChecked(record as Json));
}

/** Undefined when it is not there. Rejects when it is damaged. */
async function read<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readState(path);
  return text === undefined ? undefined : schema.parse(decodeChecked(text));
}

/** A file name for any image name. */
export function fileForName(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}

/** The folder of an image; undefined for what is no id. */
export function folderForId(id: string): string | undefined {
  return /^sha256:([0-9a-f]{64})$/.exec(id)?.[1];
}

/**
 * One look at the node: which images there are and which of them are used (detectImages of the kubelet's image_gc_manager.go).
 * Pure.
 */
import type { Remembered } from "./memory.js";
import { type ImageRecord, imageKey } from "./record.js";

/** An image as the runtime lists it. */
export type SeenImage = Pick<ImageRecord, "id" | "handler" | "names" | "size" | "pinned">;

/** One reason for which an image is used. */
export interface ImageUse {
  readonly imageId: string;
  readonly handler?: string;
  /** For people: `container default/web/main`. */
  readonly by: string;
}

export interface Look {
  readonly images: readonly SeenImage[];
  /** Of all containers, dead ones too: their own image and those that they mount as volumes; and what else needs an image. */
  readonly uses: readonly ImageUse[];
  /** What a new image's first detection becomes; undefined: before anything. */
  readonly detectedAt: number | undefined;
  /** What the last use of an image becomes that is used now. */
  readonly now: number;
}

export interface Detection {
  /** The caller's: what it removes it may take away. */
  readonly records: Map<string, ImageRecord>;
  /** By image key: who uses it. */
  readonly inUse: ReadonlyMap<string, readonly string[]>;
}

/** The records after a look: new images are added, used ones marked, vanished ones forgotten. */
export function detect(before: ReadonlyMap<string, Remembered>, { images, uses, detectedAt, now }: Look): Detection {
  const inUse = new Map<string, string[]>();
  for (const { imageId, handler, by } of uses) {
    const key = imageKey(imageId, handler);
    const users = inUse.get(key);
    if (users === undefined) inUse.set(key, [by]);
    else users.push(by);
  }
  const records = new Map<string, ImageRecord>();
  for (const image of images) {
    const key = imageKey(image.id, image.handler);
    const known = before.get(key);
    const firstDetected = known === undefined ? detectedAt : known.firstDetected;
    const lastUsed = inUse.has(key) ? now : known?.lastUsed;
    const { id, handler, names, size, pinned } = image;
    const record = { key, id, names, size, pinned, firstDetected, lastUsed };
    records.set(key, handler === undefined ? record : { ...record, handler });
  }
  return { records, inUse };
}

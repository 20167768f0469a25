/** What the runtime lists, made fit to count with and found again by all that an image is called by. Pure. */
import type { Image } from "@hooklet/core";
import { type ImageUse, imageKey, type SeenImage } from "./image-records.js";

/** Images by id, tag and digest. Two that claim one name both have it: neither goes while it is used. */
export type ImagesByName = ReadonlyMap<string, readonly SeenImage[]>;

/** One for each id and runtime handler, with all names that were listed for it; pinned when any of them is. */
export function seenImages(images: readonly Image[]): readonly SeenImage[] {
  const byKey = new Map<string, SeenImage>();
  for (const image of images.map(seen)) {
    // Nothing could ever remove it.
    if (image.id === "") continue;
    const key = imageKey(image.id, image.handler);
    const before = byKey.get(key);
    byKey.set(key, before === undefined ? image : merged(before, image));
  }
  return [...byKey.values()];
}

function seen({ id, size, pinned, repoTags, repoDigests, runtimeHandler }: Image): SeenImage {
  const image = { id, size: bytes(size), pinned, names: [...repoTags, ...repoDigests] };
  return runtimeHandler === undefined ? image : { ...image, handler: runtimeHandler };
}

function merged(one: SeenImage, other: SeenImage): SeenImage {
  return {
    ...one,
    size: Math.max(one.size, other.size),
    pinned: one.pinned || other.pinned,
    names: [...new Set([...one.names, ...other.names])],
  };
}

/** An invalid number of bytes counts as 0: NaN in the sum would remove all images. */
function bytes(size: number): number {
  return Number.isNaN(size) ? 0 : Math.min(Math.max(0, Math.floor(size)), Number.MAX_SAFE_INTEGER);
}

export function imagesByName(images: readonly SeenImage[]): ImagesByName {
  const byName = new Map<string, SeenImage[]>();
  for (const image of images) {
    for (const name of new Set([image.id, ...image.names])) {
      const own = byName.get(name);
      if (own === undefined) byName.set(name, [image]);
      else own.push(image);
    }
  }
  return byName;
}

/** The uses when `image`, an id or a name, is used for any handler. */
export function usesOf(byName: ImagesByName, image: string, by: string): readonly ImageUse[] {
  return uses(byName.get(image) ?? [{ id: image }], by);
}

/**
 * The uses when a container was made of `image` for a runtime handler (undefined: the default one): the image listed for
 * that handler, or those of every handler when a runtime lists handlers of containers only.
 */
export function usesByContainer(
  byName: ImagesByName,
  image: string,
  by: string,
  handler: string | undefined,
): readonly ImageUse[] {
  const exact = byName.get(image)?.filter((one) => one.handler === handler) ?? [];
  return exact.length > 0 ? uses(exact, by) : usesOf(byName, image, by);
}

function uses(images: readonly Pick<SeenImage, "id" | "handler">[], by: string): readonly ImageUse[] {
  return images.map(({ id, handler }) => ({ imageId: id, ...(handler !== undefined && { handler }), by }));
}

/**
 * Images that are about to be used. From before its pull until its container exists nothing else tells that an image is
 * needed, so a garbage collector may not remove it then. The image of sandboxes is always about to be used.
 */

import { type Image, isRuntimeError, overriding, type Runtime, RuntimeError } from "@hooklet/cri-api";

export class ImageLeases {
  readonly #held = new Map<string, number>();
  #removing: Promise<unknown> = Promise.resolve();

  /** Holds an image under the requested name until the returned function is called. Waits for a removal under way. */
  async hold(name: string): Promise<() => void> {
    this.#held.set(name, (this.#held.get(name) ?? 0) + 1);
    await this.#removing;
    return () => {
      const left = (this.#held.get(name) ?? 1) - 1;
      if (left === 0) this.#held.delete(name);
      else this.#held.set(name, left);
    };
  }

  /** The names held now, as they were requested. */
  held(): readonly string[] {
    return [...this.#held.keys()];
  }

  /**
   * The runtime, with `removeImage` rejecting (`failed-precondition`) held images and the sandbox image under all their
   * names. Removals run one after the other.
   */
  protect(runtime: Runtime): Runtime {
    const removeImage = (image: string, handler?: string): Promise<void> => {
      const removal = this.#removing.then(() => this.#remove(runtime, image, handler));
      this.#removing = removal.catch(() => undefined);
      return removal;
    };
    return overriding(runtime, { removeImage });
  }

  async #remove(runtime: Runtime, image: string, handler: string | undefined): Promise<void> {
    const { sandboxImage } = await runtime.info();
    const target = await runtime.imageStatus(image, handler);
    const names = sandboxImage === undefined ? this.held() : [sandboxImage, ...this.held()];
    const isIt = async (name: string): Promise<boolean> =>
      name === image || (target !== undefined && (await statusOf(runtime, name, handler))?.id === target.id);
    const found = await Promise.all(names.map(isIt));
    const holder = names[found.indexOf(true)];
    if (holder === undefined) return runtime.removeImage(image, handler);
    const why = holder === sandboxImage ? "every sandbox runs from it" : `a container of ${holder} is being started`;
    throw new RuntimeError("failed-precondition", `image ${image} is about to be used: ${why}`);
  }
}

/** A name that the runtime does not understand holds nothing. */
async function statusOf(runtime: Runtime, name: string, handler: string | undefined): Promise<Image | undefined> {
  try {
    return await runtime.imageStatus(name, handler);
  } catch (error) {
    if (isRuntimeError(error, "invalid-image-name")) return undefined;
    throw error;
  }
}

/**
 * Images that are about to be used. From before its pull until its container exists nothing else tells that an image is
 * needed, so a garbage collector may not remove it then.
 */
import { RuntimeError } from "../runtime/errors.js";
import type { Image, Runtime } from "../runtime/port.js";

export class ImageLeases {
  readonly #held = new Map<string, number>();
  #removing: Promise<unknown> = Promise.resolve();

  /** Holds an image by the name under which it is asked for; call what it returns once. Waits for a removal under way. */
  async hold(name: string): Promise<() => void> {
    this.#held.set(name, (this.#held.get(name) ?? 0) + 1);
    await this.#removing;
    return () => {
      const left = (this.#held.get(name) ?? 1) - 1;
      if (left === 0) this.#held.delete(name);
      else this.#held.set(name, left);
    };
  }

  /** The runtime with `removeImage` refusing (`failed-precondition`) what is held. Removals go one after the other. */
  guard(runtime: Runtime): Runtime {
    const removeImage = (image: string): Promise<void> => {
      const removal = this.#removing.then(() => this.#remove(runtime, image));
      this.#removing = removal.catch(() => undefined);
      return removal;
    };
    return new Proxy(runtime, {
      get: (target, key) => (key === "removeImage" ? removeImage : Reflect.get(target, key, target)),
    });
  }

  async #remove(runtime: Runtime, image: string): Promise<void> {
    for (const name of this.#held.keys()) {
      if (name !== image && !isIt(await runtime.imageStatus(name).catch(() => undefined), image)) continue;
      throw new RuntimeError(
        "failed-precondition",
        `image ${image} is about to be used: a container of ${name} is being started`,
      );
    }
    await runtime.removeImage(image);
  }
}

function isIt(held: Image | undefined, image: string): boolean {
  return held !== undefined && (held.id === image || held.repoTags.includes(image) || held.repoDigests.includes(image));
}

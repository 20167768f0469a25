/** The image half of the CRI. */
import type { Image } from "@hooklet/core";
import { type ImageFsInfo, nodeCredentials, RuntimeError } from "@hooklet/core/host";
import { parseReference } from "@hooklet/core/rules";
import type { PullCredentials } from "@hooklet/core/subsystem";
import { CallError, codeOf, fineWhenGone, rethrow, withCode } from "./call-errors.js";
import type { Calls } from "./calls.js";
import { toFileSystem, toImage } from "./map/answer.js";
import type { WireImage } from "./wire.js";

/** An image's id as containerd and CRI-O write it. */
const ID = /^(?:sha256:)?[0-9a-f]{64}$/;

export class CriImages {
  constructor(
    private readonly calls: Calls,
    private readonly credentialFiles: readonly string[],
    /** The runtime keeps images for each RuntimeClass handler (the kubelet's RuntimeClassInImageCriApi). */
    private readonly byHandler: boolean,
  ) {}

  async status(image: string, runtimeHandler?: string): Promise<Image | undefined> {
    if (!ID.test(image)) parseReference(image);
    const answer = await this.calls.call("ImageStatus", this.#spec(image, runtimeHandler)).catch(rethrow);
    return answer.image === null ? undefined : this.#image(answer.image);
  }

  async list(): Promise<readonly Image[]> {
    const { images } = await this.calls.call("ListImages", {}).catch(rethrow);
    return images.map((image) => this.#image(image));
  }

  /** Tries what is given, else each credential of the node that fits, as the kubelet does; the last refusal counts. */
  async pull(
    image: string,
    signal?: AbortSignal,
    credentials?: PullCredentials,
    runtimeHandler?: string,
  ): Promise<string> {
    parseReference(image);
    const found = credentials === undefined ? await nodeCredentials(image, this.credentialFiles) : [credentials];
    const tries: readonly (PullCredentials | undefined)[] = found.length === 0 ? [undefined] : found;
    let refusal: unknown;
    for (const auth of tries) {
      try {
        const request = { ...this.#spec(image, runtimeHandler), ...(auth === undefined ? {} : { auth }) };
        return (await this.calls.call("PullImage", request, signal)).imageRef;
      } catch (error) {
        refusal = error;
        if (error instanceof CallError && codeOf(error) === "unavailable") break;
      }
    }
    throw withCode(refusal);
  }

  async remove(image: string, runtimeHandler?: string): Promise<void> {
    await this.calls.call("RemoveImage", this.#spec(image, runtimeHandler)).catch(fineWhenGone);
  }

  /** Runtimes before 1.30 know one place for both; of several the kubelet takes the first, too. */
  async fsInfo(): Promise<ImageFsInfo> {
    const { imageFilesystems, containerFilesystems } = await this.calls.call("ImageFsInfo", {}).catch(rethrow);
    const image = toFileSystem(imageFilesystems[0]);
    if (image === undefined) throw new RuntimeError("unknown", "the runtime tells no image file system");
    const container = toFileSystem(containerFilesystems[0]);
    return { ...image, ...(container !== undefined && { container }) };
  }

  #spec(image: string, runtimeHandler = ""): object {
    return { image: { image, ...(this.byHandler && { runtimeHandler }) } };
  }

  /** With the feature gate off, handlers are ignored, whatever the runtime reports, as in the kubelet. */
  #image(wire: WireImage): Image {
    const { runtimeHandler, ...image } = toImage(wire);
    return this.byHandler && runtimeHandler !== undefined ? { ...image, runtimeHandler } : image;
  }
}

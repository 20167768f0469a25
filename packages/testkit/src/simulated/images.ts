import { createHash } from "node:crypto";
import type { Image } from "@hooklet/core";
import { type ImageFsInfo, RuntimeError, type RuntimeFileSystem } from "@hooklet/core/host";

const GIB = 1024 ** 3;

/** An image of the simulated node or registry. */
export interface SimulatedImage {
  /** Default: a digest of the first name. */
  readonly id?: string;
  /** `web:1`; a name without a tag means `:latest`. */
  readonly names: readonly string[];
  /** Bytes; default 64 MiB. */
  readonly size?: number;
  readonly pinned?: boolean;
  /** User that the image asks for. */
  readonly uid?: number;
  readonly username?: string;
}

/** The image's file system, bytes. */
export interface SimulatedImageFs {
  readonly capacity?: number;
  /** From now on what is free, before further images come and go. */
  readonly available?: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
  /** Default: one of its own. That of the node is `8:1` where nothing else was said. */
  readonly device?: string;
  /** Where writable layers lie; default: where the images do. */
  readonly container?: RuntimeFileSystem;
}

/** The images of the simulated node. Any name can be pulled unless its host ends in `.invalid`. */
export class SimulatedImages {
  readonly #present = new Map<string, Image>();
  readonly #registry = new Map<string, Image>();
  #capacity = 100 * GIB;
  #rest: Pick<SimulatedImageFs, "inodes" | "inodesFree" | "device" | "container"> = {};
  #otherBytes = 0;

  constructor(images: readonly SimulatedImage[], fileSystem: SimulatedImageFs) {
    for (const image of images) this.add(image);
    this.setFileSystem(fileSystem);
  }

  /** Puts an image on the node; one of the same id gains its names. */
  add(image: SimulatedImage): string {
    return this.#store(toImage(image));
  }

  /** Sets what a pull of the image's names brings. */
  publish(image: SimulatedImage): void {
    for (const name of image.names) this.#registry.set(withTag(name), toImage(image));
  }

  setFileSystem({ capacity = this.#capacity, available, ...rest }: SimulatedImageFs): void {
    this.#rest = { ...this.#rest, ...rest };
    this.#capacity = capacity;
    if (available !== undefined) this.#otherBytes = capacity - available - this.#imageBytes();
  }

  list(): readonly Image[] {
    return [...this.#present.values()];
  }

  find(nameOrId: string): Image | undefined {
    const name = withTag(nameOrId);
    return (
      this.#present.get(nameOrId) ??
      this.list().find((image) => image.repoTags.includes(name) || image.repoDigests.includes(nameOrId))
    );
  }

  /** @throws RuntimeError for a name that no registry has */
  pull(name: string): string {
    const host = name.split("/", 1)[0] ?? "";
    const published = this.#registry.get(withTag(name));
    if (published === undefined && host.split(":", 1)[0]?.endsWith(".invalid")) {
      throw new RuntimeError(
        "unknown",
        `failed to resolve reference "${name}": dial tcp: lookup ${host}: no such host`,
      );
    }
    return this.#store(published ?? toImage({ names: [name] }));
  }

  remove(nameOrId: string): void {
    const image = this.find(nameOrId);
    if (image !== undefined) this.#present.delete(image.id);
  }

  fileSystem(): ImageFsInfo {
    const usedBytes = this.#imageBytes();
    return {
      ...this.#rest,
      mountpoint: "/var/lib/simulated/images",
      usedBytes,
      inodesUsed: this.#present.size * 1000,
      capacityBytes: this.#capacity,
      availableBytes: Math.min(this.#capacity, Math.max(0, this.#capacity - this.#otherBytes - usedBytes)),
    };
  }

  #store(image: Image): string {
    // A tag names one image only: the newest that has it.
    for (const other of this.#present.values()) {
      const repoTags = other.repoTags.filter((tag) => !image.repoTags.includes(tag));
      if (other.id !== image.id && repoTags.length < other.repoTags.length) {
        this.#present.set(other.id, { ...other, repoTags });
      }
    }
    const known = this.#present.get(image.id);
    const merge = (a: readonly string[] = [], b: readonly string[]): string[] => [...new Set([...a, ...b])];
    this.#present.set(image.id, {
      ...image,
      repoTags: merge(known?.repoTags, image.repoTags),
      repoDigests: merge(known?.repoDigests, image.repoDigests),
    });
    return image.id;
  }

  #imageBytes(): number {
    return this.list().reduce((sum, image) => sum + image.size, 0);
  }
}

function withTag(name: string): string {
  return name.includes("@") || name.slice(name.lastIndexOf("/") + 1).includes(":") ? name : `${name}:latest`;
}

function toImage(image: SimulatedImage): Image {
  const names = image.names.map(withTag);
  const id = image.id ?? `sha256:${createHash("sha256").update(names.join(" ")).digest("hex")}`;
  const digests = names.map((name) => (name.includes("@") ? name : `${name.slice(0, name.lastIndexOf(":"))}@${id}`));
  return {
    id,
    repoTags: names.filter((name) => !name.includes("@")),
    repoDigests: [...new Set(digests)],
    size: image.size ?? 64 * 1024 ** 2,
    pinned: image.pinned ?? false,
    ...(image.uid === undefined ? {} : { uid: image.uid }),
    ...(image.username === undefined ? {} : { username: image.username }),
  };
}

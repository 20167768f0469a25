import { createHash } from "node:crypto";
import type { Image } from "@hooklet/core";
import { type ImageFsInfo, RuntimeError, type RuntimeFileSystem } from "@hooklet/core/host";
import type { RuntimeWatchers } from "./operations.js";

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
  /** The image's user. */
  readonly uid?: number;
  readonly username?: string;
  /** Milliseconds that a pull by any of these names takes; default 0. */
  readonly pullTime?: number;
}

/** The image's file system, bytes. */
export interface SimulatedImageFs {
  readonly capacity?: number;
  /** From now on what is free, before further images come and go. */
  readonly available?: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
  /** Default: a unique one. The node's is `8:1` by default. */
  readonly device?: string;
  /** Where writable layers lie; default: where the images do. */
  readonly container?: RuntimeFileSystem;
}

/** The disk that images lie on, where it is more than images alone that fill it. */
export interface ImageDisk {
  imageFs(): SimulatedImageFs;
  /** Bytes; below 0 where images are too many: a pull fails then. */
  imageFree(): number;
}

/** The images of the simulated node. Any name can be pulled unless its host ends in `.invalid`. */
export class SimulatedImages {
  readonly #present = new Map<string, Image>();
  readonly #registry = new Map<string, Image>();
  readonly #pullTimes = new Map<string, number>();
  #capacity = 100 * GIB;
  #rest: Pick<SimulatedImageFs, "inodes" | "inodesFree" | "device" | "container"> = {};
  #otherBytes = 0;

  constructor(
    images: readonly SimulatedImage[],
    fileSystem: SimulatedImageFs,
    private readonly disk: ImageDisk | undefined,
    private readonly watchers: Partial<RuntimeWatchers>,
  ) {
    for (const image of images) this.add(image);
    this.setFileSystem(fileSystem);
  }

  /** Puts an image on the node; one of the same id gains its names. */
  add(image: SimulatedImage): string {
    return this.#store(toImage(image));
  }

  /** Sets what a pull of the image's names brings. */
  publish(image: SimulatedImage): void {
    for (const name of image.names) {
      this.#registry.set(withTag(name), toImage(image));
      this.#pullTimes.set(withTag(name), image.pullTime ?? 0);
    }
  }

  /** Milliseconds. */
  pullTime(name: string): number {
    return this.#pullTimes.get(withTag(name)) ?? 0;
  }

  setFileSystem({ capacity = this.#capacity, available, ...rest }: SimulatedImageFs): void {
    this.#rest = { ...this.#rest, ...rest };
    this.#capacity = capacity;
    if (available !== undefined) this.#otherBytes = capacity - available - this.bytes();
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
  pull(name: string): { readonly image: Image; readonly isNew: boolean } {
    const host = name.split("/", 1)[0] ?? "";
    const published = this.#registry.get(withTag(name));
    if (published === undefined && host.split(":", 1)[0]?.endsWith(".invalid")) {
      throw new RuntimeError(
        "unknown",
        `failed to resolve reference "${name}": dial tcp: lookup ${host}: no such host`,
      );
    }
    const image = published ?? toImage({ names: [name] });
    const isNew = !this.#present.has(image.id);
    this.#store(image);
    return { image, isNew };
  }

  /** After the pull of a new image: it stays if it fits on the disk. @throws RuntimeError */
  pulled(name: string, image: Image): void {
    if (this.disk !== undefined && this.disk.imageFree() < 0) {
      this.#present.delete(image.id);
      throw new RuntimeError(
        "unknown",
        `failed to pull and unpack image "${name}": failed to extract layer: write: no space left on device`,
      );
    }
    this.watchers.pulled?.(name, image.id, image.size);
  }

  remove(nameOrId: string): void {
    const image = this.find(nameOrId);
    if (image === undefined) return;
    this.#present.delete(image.id);
    this.watchers.imageRemoved?.(image.id, image.repoTags, image.size);
  }

  fileSystem(): ImageFsInfo {
    if (this.disk !== undefined) this.setFileSystem(this.disk.imageFs());
    const usedBytes = this.bytes();
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

  /** Of all images on the node. */
  bytes(): number {
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

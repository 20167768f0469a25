/** The images on disk. Other processes may import at the same time: every call reads the disk. */
import { randomBytes } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorText, type Image } from "@hooklet/core";
import { type ImageFsInfo, RuntimeError } from "@hooklet/core/host";
import { canonicalName, parseReference } from "@hooklet/core/rules";
import { discard, type Layout } from "../layout.js";
import type { Logger } from "../log.js";
import { allowing } from "../state-text.js";
import {
  fileForName,
  folderForId,
  HOST_IMAGE,
  type ImageRecord,
  isHostImage,
  type LayerRecord,
  type NameRecord,
  readImageRecord,
  readNameRecord,
  writeRecord,
} from "./image-record.js";
import { hexOf } from "./manifest.js";

export interface FoundImage {
  readonly id: string;
  /** Undefined = image `host`. */
  readonly record?: ImageRecord;
  /** The image's files. */
  readonly rootfs?: string;
}

const HOST: Image = {
  id: HOST_IMAGE,
  repoTags: [HOST_IMAGE],
  repoDigests: [],
  size: 0,
  pinned: true,
  imported: true,
};

export class ImageStore {
  constructor(
    readonly layout: Layout,
    readonly log: Logger,
  ) {}

  /** By name or id; undefined when it is not there. Throws `invalid-image-name`. */
  async find(image: string): Promise<FoundImage | undefined> {
    if (isHostImage(image)) return { id: HOST_IMAGE };
    const id = folderForId(image) === undefined ? (await this.#name(canonicalName(image)))?.id : image;
    const record = id === undefined ? undefined : await this.#record(id);
    return record && { id: record.id, record, rootfs: rootfsOf(this.#folder(record.id)) };
  }

  async status(image: string): Promise<Image | undefined> {
    const found = await this.find(image);
    if (found === undefined) return undefined;
    if (found.record === undefined) return HOST;
    const isId = folderForId(image) !== undefined;
    const isPulled = !isId && (await this.#name(canonicalName(image)))?.pulled === true;
    const names = (await this.#names()).get(found.id) ?? [];
    return { ...toImage(found.record, names), ...(!isPulled && { imported: true }) };
  }

  async list(): Promise<Image[]> {
    const names = await this.#names();
    const records = await this.#records();
    return [HOST, ...records.map((record) => toImage(record, names.get(record.id) ?? []))];
  }

  async fsInfo(): Promise<ImageFsInfo> {
    const records = await this.#records();
    // A layer that several images have is there once.
    const parts = new Map(records.flatMap((record) => (record.layers ?? [record]).map((part) => [part.id, part])));
    const sum = (of: (part: LayerRecord) => number): number =>
      [...parts.values()].reduce((total, part) => total + of(part), 0);
    return {
      mountpoint: this.layout.images,
      usedBytes: sum(({ size }) => size),
      inodesUsed: sum(({ inodes }) => inodes),
    };
  }

  /** An image's layer, by the digest of what is unpacked. */
  async layer(id: string): Promise<{ readonly folder: string; readonly record: LayerRecord } | undefined> {
    for (const image of await this.#records()) {
      const record = image.layers?.find((layer) => layer.id === id);
      if (record !== undefined) return { folder: join(layersOf(this.#folder(image.id)), hexOf(id)), record };
    }
    return undefined;
  }

  /** Puts a finished folder (`rootfs`, `layers` and nothing else) in place under its id and names. */
  async add(
    folder: string,
    record: ImageRecord,
    names: readonly string[],
    { pulled }: Pick<NameRecord, "pulled"> = {},
  ): Promise<void> {
    const target = this.#folder(record.id);
    await writeRecord(join(folder, "image"), record);
    const moved = (): Promise<boolean> => allowing(["ENOTEMPTY", "EEXIST"], rename(folder, target));
    // When the same content is there already it stays: containers may run on it. A damaged one is replaced.
    if (!(await moved()) && (await this.#record(record.id)) === undefined) {
      await discard(this.layout, target, trashName());
      await moved();
    }
    await this.name(record.id, names, { pulled });
  }

  /** Names that others had go over to this image. */
  async name(id: string, names: readonly string[], { pulled }: Pick<NameRecord, "pulled">): Promise<void> {
    for (const name of names.map(canonicalName)) {
      await writeRecord(this.#nameFile(name), { name, id, ...(pulled === true && { pulled }) });
    }
  }

  /** Removes a name, or with an id all of it; the files go with the last name. Fine with what is not there. */
  async remove(image: string, usedBy: (id: string) => string | undefined): Promise<void> {
    if (isHostImage(image)) {
      throw new RuntimeError("failed-precondition", "image host is the machine's own files and cannot be removed");
    }
    const found = await this.find(image);
    if (found === undefined) return;
    const names = (await this.#names()).get(found.id) ?? [];
    const gone = folderForId(image) === undefined ? withDigests(canonicalName(image), names) : names;
    const last = names.every((name) => gone.includes(name));
    const user = last ? usedBy(found.id) : undefined;
    if (user !== undefined) {
      throw new RuntimeError("failed-precondition", `image ${image} is used by container ${user}; remove that first`);
    }
    for (const name of gone) await rm(this.#nameFile(name), { force: true });
    if (!last) return;
    await discard(this.layout, this.#folder(found.id), trashName());
  }

  #folder(id: string): string {
    const folder = folderForId(id);
    if (folder === undefined) throw new RuntimeError("invalid-argument", `${id} is no image id`);
    return join(this.layout.images, folder);
  }

  #nameFile(name: string): string {
    return join(this.layout.imageNames, fileForName(name));
  }

  #name(name: string): Promise<NameRecord | undefined> {
    return readNameRecord(this.#nameFile(name)).catch(this.#damaged(name));
  }

  #record(id: string): Promise<ImageRecord | undefined> {
    return readImageRecord(join(this.#folder(id), "image")).catch(this.#damaged(id));
  }

  async #records(): Promise<ImageRecord[]> {
    const folders = (await readdir(this.layout.images)).filter((name) => folderForId(`sha256:${name}`) !== undefined);
    const records = await Promise.all(folders.map((name) => this.#record(`sha256:${name}`)));
    return records.filter((record) => record !== undefined);
  }

  /** Names by image id. */
  async #names(): Promise<Map<string, string[]>> {
    const names = new Map<string, string[]>();
    for (const file of await readdir(this.layout.imageNames)) {
      if (!/^[0-9a-f]{64}$/.test(file)) continue;
      const record = await readNameRecord(join(this.layout.imageNames, file)).catch(this.#damaged(file));
      if (record !== undefined) names.set(record.id, [...(names.get(record.id) ?? []), record.name].sort());
    }
    return names;
  }

  /** A damaged record makes the image unknown, so that it can be imported again. */
  #damaged(what: string): (error: unknown) => undefined {
    return (error) => {
      this.log.error({ image: what }, `image record is damaged, import the image again: ${errorText(error)}`);
      return undefined;
    };
  }
}

/** Within the folder of an image. */
export const rootfsOf = (image: string): string => join(image, "rootfs");
export const layersOf = (image: string): string => join(image, "layers");

/** With the last tag of a repository go the names by digest that a pull has added. */
function withDigests(name: string, names: readonly string[]): readonly string[] {
  const of = (repository: string) => names.filter((one) => parseReference(one).repository === repository);
  const same = of(parseReference(name).repository);
  return same.some((one) => one !== name && !one.includes("@")) ? [name] : [name, ...same];
}

function toImage(record: ImageRecord, names: readonly string[]): Image {
  const [user = ""] = record.config.user.split(":");
  return {
    id: record.id,
    repoTags: names.filter((name) => !name.includes("@")),
    repoDigests: [...new Set([record.repoDigest ?? [], names.filter((name) => name.includes("@"))].flat())],
    size: record.size,
    pinned: false,
    ...(user === "" ? {} : /^\d+$/.test(user) ? { uid: Number(user) } : { username: user }),
  };
}

function trashName(): string {
  return `image-${randomBytes(8).toString("hex")}`;
}

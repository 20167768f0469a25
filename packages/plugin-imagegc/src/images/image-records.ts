/** The records of images, and their update: which images exist and which are used (detectImages of the kubelet's image_gc_manager.go). Pure. */

export interface ImageRecord {
  /** The id, with a runtime handler `ID,HANDLER`. */
  readonly key: string;
  /** The runtime's id of the image. */
  readonly id: string;
  /** The runtime handler it was pulled for; absent where images are not kept per handler. */
  readonly handler?: string;
  /** Tags and digests, as the runtime writes them. */
  readonly names: readonly string[];
  /** Bytes, as the runtime reports them: each image counts the layers that it shares. */
  readonly size: number;
  /** Whether the runtime keeps it. */
  readonly pinned: boolean;
  /** When hooklet first saw the image, milliseconds since 1970; undefined: before its records begin. */
  readonly firstDetected: number | undefined;
  /** When a container last used it, milliseconds since 1970; undefined: never seen in use. */
  readonly lastUsed: number | undefined;
}

/** The saved part of a record. */
export type Remembered = Pick<ImageRecord, "firstDetected" | "lastUsed">;

export type ImageRecords = ReadonlyMap<string, ImageRecord>;

/** What records are kept by: with a handler `<id>,<handler>`, as the kubelet does under RuntimeClassInImageCriApi. */
export function imageKey(id: string, handler?: string): string {
  return handler === undefined || handler === "" ? id : `${id},${handler}`;
}

/** Milliseconds from `time` to `now`; what has no time is longer ago than anything. */
export function elapsed(time: number | undefined, now: number): number {
  return time === undefined ? Number.POSITIVE_INFINITY : now - time;
}

/** Its shortest tag, else a digest, else the id. */
export function imageName({ names, id }: Pick<ImageRecord, "names" | "id">): string {
  const tags = names.filter((name) => !name.includes("@"));
  const [first = names[0] ?? id, ...others] = tags;
  return others.reduce((shortest, name) => (name.length < shortest.length ? name : shortest), first);
}

/** An image as the runtime lists it. */
export type SeenImage = Pick<ImageRecord, "id" | "handler" | "names" | "size" | "pinned">;

/** One reason for which an image is used. */
export interface ImageUse {
  readonly imageId: string;
  readonly handler?: string;
  /** The user, for messages: `container default/web/main`. */
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
  /** A copy: the caller may remove entries. */
  readonly records: Map<string, ImageRecord>;
  /** Image key -> its users. */
  readonly inUse: ReadonlyMap<string, readonly string[]>;
}

/** Updates the records: new images are added, used ones marked, vanished ones forgotten. */
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

/** What is remembered of an image from one look to the next. Times are milliseconds of one clock that never goes back. Pure. */

export interface ImageRecord {
  /** `imageKey` of id and handler. */
  readonly key: string;
  /** The runtime's id of the image. */
  readonly id: string;
  /** The runtime handler it was pulled for; absent where images are not kept per handler. */
  readonly handler?: string;
  /** Tags and digests, as the runtime writes them. */
  readonly names: readonly string[];
  /** Bytes, as the runtime tells them: layers that images share are in each one's size. */
  readonly size: number;
  /** Kept by the runtime itself. */
  readonly pinned: boolean;
  /** Undefined: before anything that is remembered. */
  readonly firstDetected: number | undefined;
  /** Undefined: never seen in use. */
  readonly lastUsed: number | undefined;
}

export type ImageRecords = ReadonlyMap<string, ImageRecord>;

/** What records are kept by: with a handler `<id>,<handler>`, as the kubelet does under RuntimeClassInImageCriApi. */
export function imageKey(id: string, handler?: string): string {
  return handler === undefined || handler === "" ? id : `${id},${handler}`;
}

/** Milliseconds from `time` to `now`; what has no time is longer ago than anything. */
export function elapsed(time: number | undefined, now: number): number {
  return time === undefined ? Number.POSITIVE_INFINITY : now - time;
}

/** Its shortest tag, else a digest, else the id: what people call it. */
export function imageName({ names, id }: Pick<ImageRecord, "names" | "id">): string {
  const tags = names.filter((name) => !name.includes("@"));
  const [first = names[0] ?? id, ...others] = tags;
  return others.reduce((shortest, name) => (name.length < shortest.length ? name : shortest), first);
}

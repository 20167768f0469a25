/**
 * A copy of a collection that follows the server's: first the whole of it, then each change. What breaks is begun again
 * where it broke, or from the start where the server has forgotten that place (410).
 */
import { type Clock, namespacedName, type Timer } from "@hooklet/core";
import { pause } from "@hooklet/core/subsystem";
import { ApiError, isApiError, isGone, UNREACHABLE } from "./api-error.js";
import { BackOff, type BackOffRule, reflectorBackOff } from "./back-off.js";
import type { KubeClient, Query } from "./client.js";
import { MAX_BODY } from "./connection.js";
import { type KubeObject, watchEvents } from "./watch-events.js";

export interface ListWatchSink<T> {
  /** The whole collection; what is not in it is gone. */
  replace(objects: readonly T[]): void;
  changed(type: "ADDED" | "MODIFIED" | "DELETED", object: T): void;
  /** A try that failed; the next one follows by itself. */
  failed(error: unknown): void;
}

export interface ListWatchOptions<T> {
  readonly client: Pick<KubeClient, "get" | "stream" | "pause">;
  readonly clock: Clock;
  readonly random: () => number;
  /** Of the collection. */
  readonly path: string;
  readonly query?: Query;
  readonly sink: ListWatchSink<T>;
  readonly backOff?: BackOffRule;
}

/** Requested seconds of a watch: the minimum, and the random part. */
const LASTS = { least: 300, spread: 300 };
/** Milliseconds without a byte after which a stream counts as dead: bookmarks come about every minute. */
const SILENCE = 150_000;
/** Milliseconds that a whole list may take. */
const LIST = 60_000;
/** Milliseconds in which one 410 is answered with a list at once; the next one waits. */
const GONE_AT_ONCE = 10_000;
const INITIAL_END = "k8s.io/initial-events-end";

export class ListWatch<T extends KubeObject> {
  readonly #options: ListWatchOptions<T>;
  readonly #stop = new AbortController();
  readonly #backOff: BackOff;
  /** Of the newest that was seen; undefined: begin with the whole collection. */
  #version: string | undefined;
  /** The server has no streaming lists. */
  #plainLists = false;
  /** The server's cache cannot serve the request: the next list reads the store. */
  #fromStore = false;
  /** When the last 410 was answered at once. */
  #goneAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  constructor(options: ListWatchOptions<T>) {
    this.#options = options;
    this.#backOff = new BackOff(options.backOff ?? reflectorBackOff, options.random);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { client, clock, sink } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const began = clock.monotonic();
      try {
        await this.#once();
      } catch (error) {
        if (signal.aborted) return;
        if (isGone(error)) {
          const isFirst = this.#version !== undefined;
          // Twice in a row: the list itself was refused.
          this.#fromStore = !isFirst;
          this.#version = undefined;
          // Usually after an outage: the whole list is read at once.
          if (isFirst && began - this.#goneAt >= GONE_AT_ONCE) {
            this.#goneAt = began;
            continue;
          }
        } else if (this.#version === undefined && !this.#plainLists && isApiError(error, 400, 422)) {
          this.#plainLists = true;
          continue;
        }
        sink.failed(error);
        const wait = this.#backOff.failed(clock.monotonic());
        const asked = retryAfter(error);
        // Retry-After is waited out; after an outage all watches resume with the first answer of the heartbeat.
        if (asked > 0) await pause(clock, Math.max(wait, asked), signal);
        else await client.pause(wait, signal, began);
      }
    }
  }

  /** One stream to its end. */
  async #once(): Promise<void> {
    if (this.#version === undefined && (this.#plainLists || this.#fromStore)) await this.#list();
    await this.#watch();
  }

  async #list(): Promise<void> {
    const { client, path, query, sink } = this.#options;
    const { signal } = this.#stop;
    const version = this.#fromStore ? {} : { resourceVersion: "0" };
    const list = await client.get<{ metadata?: { resourceVersion?: string }; items?: readonly T[] }>(path, {
      query: { ...query, ...version },
      signal,
      timeout: LIST,
    });
    this.#fromStore = false;
    this.#version = list.metadata?.resourceVersion ?? "";
    sink.replace(list.items ?? []);
  }

  async #watch(): Promise<void> {
    const { client, clock, path, query, random, sink } = this.#options;
    const idle = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, idle.signal]);
    const initial: Map<string, T> | undefined = this.#version === undefined ? new Map() : undefined;
    const began = clock.monotonic();
    const chunks = await client.stream(path, { ...query, ...watchQuery(this.#version, random()) }, signal);
    const heard = heardFrom(
      clock,
      initial === undefined ? chunks : boundedList(path, chunks, () => this.#version),
      idle,
    );
    try {
      for await (const event of watchEvents<T>(`watch of ${path}`, heard)) {
        const version = event.object.metadata.resourceVersion;
        if (this.#version === undefined && initial !== undefined) {
          if (event.type === "DELETED") initial.delete(keyOf(event.object));
          else if (event.type !== "BOOKMARK") initial.set(keyOf(event.object), event.object);
          else if (event.object.metadata.annotations?.[INITIAL_END] === "true") {
            this.#version = version;
            sink.replace([...initial.values()]);
          }
          continue;
        }
        if (version !== undefined) this.#version = version;
        if (event.type !== "BOOKMARK") sink.changed(event.type, event.object);
      }
    } finally {
      idle.abort();
    }
    // A server that ends each watch at once must not be called as fast as it answers.
    if (clock.monotonic() - began < 1_000) {
      await pause(clock, this.#backOff.failed(clock.monotonic()), this.#stop.signal);
    } else this.#backOff.reset();
  }
}

function watchQuery(version: string | undefined, random: number): Query {
  const timeoutSeconds = Math.round(LASTS.least + LASTS.spread * random);
  const common = { watch: true, allowWatchBookmarks: true, timeoutSeconds };
  if (version !== undefined) return { ...common, resourceVersion: version };
  return { ...common, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
}

/** The chunks; aborts when none comes for too long. */
async function* heardFrom(clock: Clock, chunks: AsyncIterable<Buffer>, idle: AbortController): AsyncGenerator<Buffer> {
  let timer: Timer | undefined;
  const wait = (): void => {
    timer?.cancel();
    timer = clock.schedule(SILENCE, () => idle.abort(new Error(`nothing was heard for ${SILENCE / 1_000} s`)));
  };
  wait();
  try {
    for await (const chunk of chunks) {
      wait();
      yield chunk;
    }
  } finally {
    timer?.cancel();
  }
}

/** The bytes of a list that comes over a watch are bounded as those of one in one piece; what follows it is not. */
async function* boundedList(
  path: string,
  chunks: AsyncIterable<Buffer>,
  version: () => string | undefined,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (version() === undefined && bytes > MAX_BODY) {
      throw new ApiError(UNREACHABLE, "TooLong", `the list of ${path} is longer than ${MAX_BODY} bytes`);
    }
    yield chunk;
  }
}

function keyOf({ metadata: { namespace = "", name } }: KubeObject): string {
  return namespacedName({ namespace, name });
}

/** Milliseconds. */
function retryAfter(error: unknown): number {
  return isApiError(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
}

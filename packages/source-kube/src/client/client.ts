/** Requests for objects, each with a deadline, rate limited. Callers that must not wait for others have their own client. */

import { type Clock, sleep } from "@hooklet/core";
import { pause } from "@hooklet/core/subsystem";
import type { TokenBucket } from "@hooklet/utils";
import { ApiError, isApiError, UNREACHABLE } from "./api-error.js";
import type { Ask, Connection } from "./connection.js";

export type Query = Readonly<Record<string, string | number | boolean>>;

export interface RequestOptions {
  readonly query?: Query;
  readonly signal?: AbortSignal;
  /** Milliseconds; default 30 s. Includes waits for Retry-After. */
  readonly timeout?: number;
}

export interface WriteOptions extends RequestOptions {
  /** Of what was written, only the metadata is wanted back: the rest is known here, or comes with a watch. */
  readonly answer?: "metadata";
}

type PatchType = "application/strategic-merge-patch+json" | "application/merge-patch+json";

interface ClientOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** Undefined: no limit. */
  readonly bucket?: TokenBucket | undefined;
  readonly reach: Pick<Reach, "pause">;
}

const TIMEOUT = 30_000;
/** Milliseconds that a request has at least for its answer, however long it waited to be sent; half of its time where that is less. */
const LEAST = 1_000;
/** Retries because of Retry-After, as in client-go. */
const MAX_RETRIES = 10;

/** A server without support answers with the whole object. */
const METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

export class KubeClient {
  constructor(private readonly options: ClientOptions) {}

  /** Each rejects with ApiError, or with the signal's reason. */
  get<T>(path: string, options?: RequestOptions): Promise<T> {
    return this.#do<T>({ method: "GET", path }, options);
  }

  create<T>(path: string, body: unknown, options?: WriteOptions): Promise<T> {
    return this.#do<T>({ method: "POST", path, body: JSON.stringify(body), ...accepting(options) }, options);
  }

  replace<T>(path: string, body: unknown, options?: RequestOptions): Promise<T> {
    return this.#do<T>({ method: "PUT", path, body: JSON.stringify(body) }, options);
  }

  patch<T>(path: string, body: unknown, options?: WriteOptions & { readonly type?: PatchType }): Promise<T> {
    const contentType = options?.type ?? "application/strategic-merge-patch+json";
    const ask: Ask = { method: "PATCH", path, body: JSON.stringify(body), contentType, ...accepting(options) };
    return this.#do<T>(ask, options);
  }

  async delete(path: string, body: unknown, options?: RequestOptions): Promise<void> {
    await this.#do({ method: "DELETE", path, body: JSON.stringify(body), accept: METADATA }, options);
  }

  /** The answer chunk by chunk; for watches. */
  async stream(path: string, query: Query, signal: AbortSignal, timeout = TIMEOUT): Promise<AsyncIterable<Buffer>> {
    await this.options.bucket?.turn(signal);
    return this.options.connection.stream({ method: "GET", path: withQuery(path, query), signal }, timeout);
  }

  /**
   * Waits before the next try of something that failed; less where the server answers again after an outage. `began`: monotonic
   * milliseconds at which the try that failed began. Never rejects.
   */
  pause(milliseconds: number, signal?: AbortSignal, began?: number): Promise<void> {
    return this.options.reach.pause(milliseconds, signal, began);
  }

  async #do<T>(ask: Ask, { query, signal, timeout = TIMEOUT }: RequestOptions = {}): Promise<T> {
    const { bucket, clock, connection } = this.options;
    const until = clock.monotonic() + timeout;
    const full = { ...ask, path: withQuery(ask.path, query), signal };
    for (let retries = 0; ; retries += 1) {
      // A request sent at the very end would time out and look like a silent server.
      const longest = until - clock.monotonic() - Math.min(LEAST, timeout / 2);
      if ((await bucket?.turn(signal, longest)) === false)
        throw new ApiError(UNREACHABLE, "Timeout", "too many requests wait to be sent to the API server");
      try {
        const text = await connection.ask(full, Math.max(1, until - clock.monotonic()));
        return parsed(full, text) as T;
      } catch (error) {
        const after = isApiError(error, 429, 503) ? error.retryAfterSeconds : undefined;
        if (after === undefined || retries >= MAX_RETRIES) throw error;
        if (clock.monotonic() + after * 1_000 >= until) throw error;
        await sleep(clock, after * 1_000, signal);
      }
    }
  }
}

function accepting({ answer }: WriteOptions = {}): Pick<Ask, "accept"> {
  return answer === undefined ? {} : { accept: METADATA };
}

/** A body that ends in the middle, with a length that says otherwise, is an answer that was lost. */
function parsed({ method, path }: Ask, text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const what = `${method} ${path.split("?")[0]}`;
    throw new ApiError(UNREACHABLE, "BadAnswer", `${what} was answered with what is no JSON`, undefined, { cause });
  }
}

function withQuery(path: string, query: Query = {}): string {
  const texts = Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]);
  const text = new URLSearchParams(texts).toString();
  return text === "" ? path : `${path}?${text}`;
}

// Whether the API server is reachable: callers in back-off are woken by the first answer of the heartbeat. Only the heartbeat decides: it runs all the
// time, and no failure of other requests looks like an outage.

/** Milliseconds without any answer, from the begin of the first request that had none, that make an outage. */
const OUTAGE = 5_000;

export class Reach {
  /** When the first request began that had no answer; undefined: the last one had one. */
  #failedAt: number | undefined;
  #returnedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting = new Set<() => void>();
  readonly #listeners = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** The heartbeat had no answer in so many milliseconds. */
  failed(milliseconds: number): void {
    this.#failedAt ??= this.clock.monotonic() - milliseconds;
  }

  /** It had one. */
  answered(): void {
    const now = this.clock.monotonic();
    const wasAway = this.#failedAt !== undefined && now - this.#failedAt >= OUTAGE;
    this.#failedAt = undefined;
    if (!wasAway) return;
    this.#returnedAt = now;
    for (const wake of [...this.#waiting]) wake();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Called at the end of each outage. */
  onReturn(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Resolves after the milliseconds, at the end of an outage since `began` (monotonic milliseconds), or when the signal aborts. */
  async pause(milliseconds: number, signal?: AbortSignal, began = Number.POSITIVE_INFINITY): Promise<void> {
    if (this.#returnedAt > began) return;
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    this.#waiting.add(wake);
    await pause(
      this.clock,
      milliseconds,
      signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal]),
    );
    this.#waiting.delete(wake);
  }
}

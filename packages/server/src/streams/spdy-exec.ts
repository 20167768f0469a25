/** The streams of a command over SPDY, as the channels that `serveExec` knows. */

import type { Duplex } from "node:stream";
import { PassThrough } from "node:stream";
import { Channel, MAX_WAITING_BYTES, type Message } from "@hooklet/streams/channels";
import { type Clock, type Timer, untilDrained } from "@hooklet/utils";
import type { ExecChannels } from "./serve-exec.js";
import type { SpdyConnection } from "./spdy-connection.js";

/** The newest first. v4 is the last one that SPDY has. */
export const EXEC_PROTOCOLS: readonly string[] = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
/** Milliseconds in which a client opens all its streams. */
const PATIENCE = 30_000;

const CHANNELS: Readonly<Record<string, number>> = {
  stdin: Channel.stdin,
  stdout: Channel.stdout,
  stderr: Channel.stderr,
  error: Channel.error,
  resize: Channel.resize,
};

export class SpdyExec implements ExecChannels {
  readonly #streams = new Map<number, Duplex>();
  /** Messages of all streams that the client writes to. */
  readonly #messages = new PassThrough({ objectMode: true, highWaterMark: 4 });
  readonly #requested: ReadonlySet<number>;
  #connection: SpdyConnection | undefined;
  #complete: () => void = () => undefined;
  readonly #all: Promise<void>;

  constructor(parts: {
    readonly tty: boolean;
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  }) {
    const { tty, stdin, stdout, stderr } = parts;
    this.#requested = new Set([
      Channel.error,
      ...(stdin ? [Channel.stdin] : []),
      ...(stdout ? [Channel.stdout] : []),
      ...(stderr ? [Channel.stderr] : []),
      ...(tty ? [Channel.resize] : []),
    ]);
    this.#all = new Promise((resolve) => {
      this.#complete = resolve;
    });
  }

  /** Called with each stream that the client opens. */
  take(headers: ReadonlyMap<string, string>, stream: Duplex): void {
    const channel = CHANNELS[headers.get("streamtype") ?? ""];
    if (channel === undefined || !this.#requested.has(channel) || this.#streams.has(channel)) {
      stream.destroy();
      return;
    }
    this.#streams.set(channel, stream);
    if (channel === Channel.stdin || channel === Channel.resize) void this.#feed(channel, stream);
    else stream.resume();
    if (this.#streams.size === this.#requested.size) this.#complete();
  }

  /** Resolves once the client has opened all requested streams. Rejects when it does not. */
  async opened(connection: SpdyConnection, clock: Clock): Promise<void> {
    this.#connection = connection;
    connection.closed.addEventListener("abort", () => this.#messages.destroy());
    let late: Timer | undefined;
    const gone = new Promise<never>((_, reject) => {
      late = clock.schedule(PATIENCE, () =>
        reject(new Error(`not all streams were opened within ${PATIENCE / 1000} s`)),
      );
      connection.closed.addEventListener("abort", () => reject(new Error("the client is gone")));
    });
    await Promise.race([this.#all, gone]).finally(() => late?.cancel());
  }

  get closed(): AbortSignal {
    return this.#connection?.closed ?? new AbortController().signal;
  }

  get full(): boolean {
    return [...this.#streams.values()].some((stream) => stream.writableNeedDrain && !stream.destroyed);
  }

  send(channel: number, data: Uint8Array): boolean {
    const stream = this.#streams.get(channel);
    if (stream === undefined || stream.destroyed || stream.writableEnded || data.length === 0) return true;
    const goesOn = stream.write(data);
    if (stream.writableLength > MAX_WAITING_BYTES) this.#connection?.terminate();
    return goesOn;
  }

  async drained(): Promise<void> {
    for (const stream of this.#streams.values()) if (stream.writableNeedDrain) await untilDrained(stream);
  }

  async *messages(): AsyncGenerator<Message> {
    yield* this.#messages.iterator({ destroyOnReturn: false }) as AsyncIterable<Message>;
  }

  end(): void {
    this.#connection?.end();
  }

  async #feed(channel: number, stream: Duplex): Promise<void> {
    try {
      for await (const data of stream.iterator({ destroyOnReturn: false })) await this.#say(channel, data as Buffer);
      if (channel === Channel.stdin) await this.#say(Channel.close, Buffer.of(Channel.stdin));
    } catch {
      // A stream that broke is one that says no more.
    }
  }

  async #say(channel: number, data: Buffer): Promise<void> {
    // Several sizes may come in one piece; the newest counts.
    const text = channel === Channel.resize ? (data.toString().trim().split("\n").at(-1) ?? "") : undefined;
    if (text === "" || this.#messages.destroyed) return;
    this.#messages.write({ channel, data: text === undefined ? data : Buffer.from(text) } satisfies Message);
    if (this.#messages.writableNeedDrain) await untilDrained(this.#messages);
  }
}

/** One websocket that carries channels, for both of its ends, with back-pressure in both directions. */
import type { Duplex } from "node:stream";
import { type Clock, untilDrained } from "@hooklet/utils";
import { createWebSocketStream, type WebSocket } from "ws";
import { endWhenIdle } from "../idle.js";
import { Channel, canClose, decode, encode, MAX_WAITING_BYTES, type Message } from "./protocol.js";

/** Between two pings, milliseconds; and how long a silent peer is taken to live. As client-go does. */
const PING = 5_000;
const PATIENCE = 60_000;

export class ChannelConnection {
  readonly #stream: Duplex;
  readonly #closed = new AbortController();
  /** Messages, in both directions. */
  #messages = 0;

  constructor(private readonly socket: WebSocket) {
    // Whole messages; reading one lets the next one arrive.
    this.#stream = createWebSocketStream(socket, { readableObjectMode: true, readableHighWaterMark: 4 });
    // A peer that is closing takes no more; an error here would cost the reader what the peer sent before.
    const write = this.#stream._write.bind(this.#stream);
    this.#stream._write = (chunk, encoding, done) =>
      socket.readyState === socket.OPEN ? write(chunk, encoding, done) : done();
    // The reader gets the error of a broken connection.
    this.#stream.on("error", () => undefined);
    socket.on("close", () => this.#closed.abort());
  }

  /** Aborted once the connection has ended, from either side. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Whether `closeChannel` reaches the peer. */
  get canClose(): boolean {
    return canClose(this.socket.protocol);
  }

  /** True while more waits than the peer takes. */
  get full(): boolean {
    return this.#stream.writableNeedDrain && !this.#stream.destroyed;
  }

  /** False: wait for `drained`. After the end it does nothing. */
  send(channel: number, data: Uint8Array): boolean {
    if (this.#stream.destroyed || this.#stream.writableEnded) return true;
    for (const message of encode(channel, data)) this.#stream.write(message);
    this.#messages += 1;
    if (this.#stream.writableLength > MAX_WAITING_BYTES) this.terminate();
    return !this.full;
  }

  /** Resolves when the peer has caught up, or is gone. */
  drained(): Promise<void> {
    return untilDrained(this.#stream);
  }

  /** Tells the peer that no more comes on a channel; nothing where the protocol cannot say it. */
  closeChannel(channel: number): void {
    if (this.canClose) this.send(Channel.close, Buffer.of(channel));
  }

  /** Until the peer closes the connection. Rejects when it breaks, or carries what is no message. */
  async *messages(): AsyncGenerator<Message> {
    const messages = this.#stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer | string>;
    for await (const message of messages) {
      yield decode(typeof message === "string" ? Buffer.from(message) : message);
    }
  }

  /** Closes once all that was sent has gone out. */
  end(): void {
    this.#stream.end();
    // Data that the peer still sends is discarded; unread, it would block the peer's answer to the close.
    this.#stream.resume();
  }

  /** Breaks off at once. */
  terminate(): void {
    this.socket.terminate();
  }

  /**
   * Pings the peer until the connection has ended, to detect a peer that disappeared.
   * @param idle milliseconds without a message after which the connection is closed
   */
  watch(clock: Clock, idle: number): void {
    this.socket.on("message", () => {
      this.#messages += 1;
    });
    const rest = endWhenIdle(
      clock,
      idle,
      () => this.#messages,
      () => this.terminate(),
    );
    this.closed.addEventListener("abort", rest);
    let heard = clock.monotonic();
    const hear = (): void => {
      heard = clock.monotonic();
    };
    this.socket.on("pong", hear);
    this.socket.on("message", hear);
    const beat = (): void => {
      if (this.closed.aborted) return;
      // While its messages are held up, so are its pongs; a dead one is then found by the ping that cannot be sent.
      if (this.socket.isPaused) hear();
      if (clock.monotonic() - heard > PATIENCE) {
        this.terminate();
        return;
      }
      if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
      timer = clock.schedule(PING, beat);
    };
    let timer = clock.schedule(PING, beat);
    this.closed.addEventListener("abort", () => timer.cancel());
  }
}

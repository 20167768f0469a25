/** How many streams an endpoint has at once, and for how long. */

import { PassThrough, type Readable } from "node:stream";
import { encodeLine } from "@hooklet/streams";
import { MAX_WAITING_BYTES } from "@hooklet/streams/channels";
import { type Clock, NodeAgentError, untilDrained } from "@hooklet/utils";
import type { StreamLimits } from "./endpoints.js";

/** Of a stream. */
interface StreamSlot {
  /** To be called with each value that goes out. */
  sent(): void;
  /** @param end is called when nothing was sent for too long, or when its time is over; @param over aborted once it has ended */
  held(end: () => void, over: AbortSignal): void;
}

export class StreamPool {
  #open = 0;

  constructor(
    private readonly limits: StreamLimits,
    private readonly clock: Clock,
  ) {}

  /** A stream that ends by itself, by `end` where there is one. @throws NodeAgentError BUSY */
  open(end?: () => void): LineStream {
    const slot = this.slot();
    const stream = lineStream(() => slot.sent());
    slot.held(end ?? (() => stream.end()), stream.signal);
    return stream;
  }

  /** For a stream of another kind. @throws NodeAgentError BUSY */
  slot(): StreamSlot {
    const { atOnce, idle, total } = this.limits;
    const { clock } = this;
    if (this.#open >= atOnce) {
      const text = `${atOnce} streams are open here: expected fewer. End one of them, or ask again later.`;
      throw new NodeAgentError("BUSY", text);
    }
    let end = (): void => undefined;
    let quiet = clock.schedule(idle, () => end());
    return {
      sent: () => {
        quiet.cancel();
        quiet = clock.schedule(idle, () => end());
      },
      held: (given, over) => {
        end = given;
        const late = clock.schedule(total, given);
        this.#open += 1;
        over.addEventListener("abort", () => {
          this.#open -= 1;
          end = () => undefined;
          quiet.cancel();
          late.cancel();
        });
      },
    };
  }
}

// A streaming answer with bounded memory: a reader that is too slow is disconnected.

interface LineStream {
  readonly readable: Readable;
  readonly closed: boolean;
  /** True while more waits than the reader takes. */
  readonly full: boolean;
  /** Aborted when the stream has ended for any reason. */
  readonly signal: AbortSignal;
  /** Sends one value; after the end it does nothing. */
  send(value: unknown): void;
  /** Resolves when the reader has caught up, or is gone. */
  drained(): Promise<void>;
  end(): void;
}

/** `sent` is called at the beginning and with each value that goes out. */
export function lineStream(sent: () => void = () => undefined): LineStream {
  const stream = new PassThrough({ highWaterMark: 64 * 1024 });
  const over = new AbortController();
  // A reader that goes away is no fault of the agent; Node tells it as an error of the stream.
  stream.on("error", () => undefined);
  stream.on("close", () => over.abort());
  // An empty line, which readers skip, sends the headers at once.
  stream.write("\n");
  sent();
  return {
    readable: stream,
    signal: over.signal,
    get closed() {
      return stream.destroyed || stream.writableEnded;
    },
    get full() {
      return stream.writableNeedDrain && !stream.destroyed;
    },
    send(value) {
      if (stream.destroyed || stream.writableEnded) return;
      stream.write(encodeLine(value));
      sent();
      if (stream.writableLength > MAX_WAITING_BYTES) stream.destroy(new Error("The reader does not keep up."));
    },
    drained: () => untilDrained(stream),
    end: () => void stream.end(),
  };
}

// A container's log as bytes, up to the requested number.

const HIGH_WATER = 64 * 1024;

interface ByteStream {
  readonly readable: Readable;
  /** Aborted when the reader is gone, or has everything it requested. */
  readonly signal: AbortSignal;
  send(data: Buffer): void;
  drained(): Promise<void>;
  end(): void;
}

/** @param limit bytes; undefined: all. `sent` is called with each piece that goes out. */
export function byteStream(limit: number | undefined, sent: () => void): ByteStream {
  const stream = new PassThrough({ highWaterMark: HIGH_WATER });
  const over = new AbortController();
  let left = limit ?? Number.POSITIVE_INFINITY;
  stream.on("error", () => undefined);
  stream.on("close", () => over.abort());
  return {
    readable: stream,
    signal: over.signal,
    send(data) {
      if (left <= 0 || stream.destroyed || stream.writableEnded) return;
      const part = data.length > left ? data.subarray(0, left) : data;
      left -= part.length;
      stream.write(part);
      sent();
      if (left > 0) return;
      stream.end();
      over.abort();
    },
    drained: () => untilDrained(stream),
    end: () => void stream.end(),
  };
}

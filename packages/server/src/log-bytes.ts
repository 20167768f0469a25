/** A container's log as bytes, up to the requested number. */
import { PassThrough, type Readable } from "node:stream";
import { untilDrained } from "@hooklet/utils";

const HIGH_WATER = 64 * 1024;

export interface ByteStream {
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

/** A streaming answer with bounded memory: a reader that is too slow is disconnected. */
import { PassThrough, type Readable } from "node:stream";
import { encodeLine } from "@hooklet/streams";
import { MAX_WAITING_BYTES } from "@hooklet/streams/channels";
import { untilDrained } from "@hooklet/utils";

export interface LineStream {
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

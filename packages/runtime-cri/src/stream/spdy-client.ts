/** The client's end of a SPDY connection: opens streams, each a Duplex. */
import type { Duplex } from "node:stream";
import { constants, createDeflate } from "node:zlib";
import { type Clock, withDeadline } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { FrameReader, headerBlock, openFrame, pingFrame, type SpdyFrame, SpdyStream } from "@hooklet/streams";

/** Milliseconds for the server to take a stream. */
const PATIENCE = 30_000;
/** Bytes of answers to pings that wait for a server that does not read. */
const MAX_WAITING = 1024 * 1024;

export class SpdyClient {
  readonly #streams = new Map<number, SpdyStream>();
  readonly #waiting = new Map<number, { readonly resolve: () => void; readonly reject: (error: Error) => void }>();
  readonly #deflate = createDeflate();
  readonly #reader = new FrameReader();
  #nextId = 1;
  #ended: Error | undefined;

  constructor(
    private readonly socket: Duplex,
    private readonly clock: Clock,
  ) {
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error: Error) => this.#end(error));
    socket.on("close", () => this.#end(new Error("the connection was closed")));
  }

  /** Resolves when the server took the stream. One at a time: header blocks share one compression. A failing caller closes the connection. */
  open(headers: Readonly<Record<string, string>>): Promise<Duplex> {
    const text = `the runtime's streaming server did not take a stream within ${PATIENCE / 1000} s`;
    return withDeadline(this.clock, PATIENCE, this.#open(headers), () => new RuntimeError("unavailable", text));
  }

  async #open(headers: Readonly<Record<string, string>>): Promise<Duplex> {
    this.#whileOpen();
    const id = this.#nextId;
    this.#nextId += 2;
    const block = await this.#compressed(headerBlock(headers));
    this.#whileOpen();
    const stream = new SpdyStream(id, this.socket, () => this.#streams.delete(id));
    this.#streams.set(id, stream);
    await new Promise<void>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.socket.write(openFrame(id, block));
    });
    return stream;
  }

  #whileOpen(): void {
    if (this.#ended !== undefined) throw unavailable(this.#ended);
  }

  close(): void {
    this.socket.destroy();
  }

  #compressed(block: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#deflate.once("error", reject);
      this.#deflate.write(block);
      this.#deflate.flush(constants.Z_SYNC_FLUSH, () => {
        this.#deflate.off("error", reject);
        resolve(this.#deflate.read() as Buffer);
      });
    });
  }

  #take(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.take(chunk)) this.#handle(frame);
    } catch (error) {
      this.socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #handle(frame: SpdyFrame): void {
    if (frame.kind === "ping") this.#answer(frame.id);
    else if (frame.kind === "data") this.#receive(frame);
    else if (frame.kind === "reply") {
      this.#waiting.get(frame.stream)?.resolve();
      this.#waiting.delete(frame.stream);
      if (frame.last) this.#streams.get(frame.stream)?.receive(Buffer.alloc(0), true);
    } else if (frame.kind === "reset") this.#reset(frame.stream);
    // What the server still has to say on open streams comes before it hangs up.
    else if (frame.kind === "goAway") this.socket.end();
  }

  /** A stream that is full holds the server up. */
  #receive({ stream, data, last }: Extract<SpdyFrame, { kind: "data" }>): void {
    const full = this.#streams.get(stream)?.receive(data, last);
    if (full === undefined) return;
    this.socket.pause();
    void full.then(() => this.socket.resume());
  }

  #answer(ping: number): void {
    if (this.socket.writableLength > MAX_WAITING)
      throw new Error("it asks on and on, and does not read what is answered");
    this.socket.write(pingFrame(ping));
  }

  #reset(id: number): void {
    this.#waiting.get(id)?.reject(new RuntimeError("unavailable", "the runtime's streaming server refused a stream"));
    this.#waiting.delete(id);
    // Both sides may close a stream this way after its end.
    this.#streams.get(id)?.receive(Buffer.alloc(0), true);
  }

  #end(error: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#deflate.close();
    for (const { reject } of this.#waiting.values()) reject(unavailable(error));
    this.#waiting.clear();
    for (const stream of [...this.#streams.values()]) stream.cut(unavailable(error));
  }
}

function unavailable(error: Error): RuntimeError {
  return new RuntimeError("unavailable", `the runtime's streaming server hung up: ${error.message}`, { cause: error });
}

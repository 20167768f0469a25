/** One stream of a SPDY connection, at either end. Neither side counts windows. */
import { Duplex } from "node:stream";
import { dataFrame } from "./spdy-frames.js";

export class SpdyStream extends Duplex {
  #room: (() => void) | undefined;
  #over = false;

  /** @param gone called once it is destroyed */
  constructor(
    private readonly id: number,
    private readonly socket: Duplex,
    private readonly gone: () => void,
  ) {
    super({ allowHalfOpen: true });
    // It may break before it has a reader, which gets the error anyway.
    this.on("error", () => undefined);
  }

  /** What the peer sent. A promise: it is full, and takes more once that resolves. */
  receive(data: Buffer, last: boolean): Promise<void> | undefined {
    if (this.#over || this.destroyed) return undefined;
    const isFull = data.length > 0 && !this.push(data);
    if (last) {
      this.#over = true;
      this.push(null);
      return undefined;
    }
    return isFull ? new Promise((resolve) => (this.#room = resolve)) : undefined;
  }

  /** The connection broke: what did not end whole fails. */
  cut(error: Error): void {
    if (!this.#over && !this.destroyed) this.destroy(error);
  }

  override _read(): void {
    this.#room?.();
    this.#room = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (chunk.length === 0 || !this.socket.writable) done();
    else this.socket.write(dataFrame(this.id, chunk, false), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.socket.writable) this.socket.write(dataFrame(this.id, Buffer.alloc(0), true), () => done());
    else done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.gone();
    this._read();
    done(error);
  }
}

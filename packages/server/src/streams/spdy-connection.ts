/** The server's end of a SPDY connection: takes the streams that the client opens, each a Duplex. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { finished } from "node:stream/promises";
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from "node:zlib";
import {
  FrameReader,
  pingFrame,
  readHeaders,
  replyFrame,
  resetFrame,
  type SpdyFrame,
  SpdyStream,
} from "@hooklet/streams";
import { untilDrained } from "@hooklet/utils";
import { spdyDictionary } from "./spdy-dictionary.js";

/** Streams of one connection that are open at once; a client has two for each forwarded connection. */
const MAX_STREAMS = 1_000;
/** Bytes of a header block, no longer compressed. */
const MAX_HEADERS = 64 * 1024;

/** The client's protocols in the request, the chosen one in the answer. */
const HEADER = "x-stream-protocol-version";

export type TakeStream = (headers: ReadonlyMap<string, string>, stream: Duplex) => void;

/** The first of the client's protocols that is known. Undefined: none is, or it is no upgrade to SPDY. */
export function spdyProtocol(request: Pick<IncomingMessage, "headers">, known: readonly string[]): string | undefined {
  if (request.headers.upgrade?.toLowerCase() !== "spdy/3.1") return undefined;
  const offered = [request.headers[HEADER] ?? []].flat().flatMap((one) => one.split(",").map((text) => text.trim()));
  return offered.find((protocol) => known.includes(protocol));
}

/** `head`: what the client sent already. */
export function acceptSpdy(socket: Duplex, head: Buffer, protocol: string, take: TakeStream): SpdyConnection {
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Connection: Upgrade",
    "Upgrade: SPDY/3.1",
    `X-Stream-Protocol-Version: ${protocol}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  return new SpdyConnection(socket, take);
}

export class SpdyConnection {
  readonly #streams = new Map<number, SpdyStream>();
  readonly #inflate = createInflate({ dictionary: spdyDictionary(), finishFlush: constants.Z_SYNC_FLUSH });
  readonly #deflate = createDeflate();
  readonly #reader = new FrameReader();
  readonly #closed = new AbortController();

  constructor(
    private readonly socket: Duplex,
    private readonly take: TakeStream,
  ) {
    for (const zlib of [this.#inflate, this.#deflate]) zlib.on("error", () => socket.destroy());
    socket.on("error", () => undefined);
    socket.on("close", () => this.#end());
    void this.#read();
  }

  /** Aborted once the connection has ended, from either side. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Ends all streams, then the connection, once what was written has gone out. */
  end(): void {
    const open = [...this.#streams.values()];
    for (const stream of open) stream.end();
    const written = open.map((stream) => finished(stream, { readable: false }));
    void Promise.allSettled(written).then(() => this.socket.end());
  }

  terminate(): void {
    this.socket.destroy();
  }

  /** One frame after the other: header blocks share one compression, and a stream that is full holds the client up. */
  async #read(): Promise<void> {
    try {
      for await (const chunk of this.socket.iterator({ destroyOnReturn: false })) {
        for (const frame of this.#reader.take(chunk as Buffer)) await this.#handle(frame);
      }
    } catch {
      // Not SPDY, or the client is gone: there is no peer to report to.
    }
    // No client of SPDY ends its own direction alone.
    this.socket.destroy();
  }

  async #handle(frame: SpdyFrame): Promise<void> {
    if (frame.kind === "open") await this.#open(frame);
    else if (frame.kind === "data") await this.#streams.get(frame.stream)?.receive(frame.data, frame.last);
    else if (frame.kind === "ping") await this.#answer(pingFrame(frame.id));
    else if (frame.kind === "reset") this.#streams.get(frame.stream)?.destroy();
  }

  async #open({ stream: id, block, last }: Extract<SpdyFrame, { kind: "open" }>): Promise<void> {
    const headers = readHeaders(await through(this.#inflate, block, MAX_HEADERS));
    if (this.#streams.size >= MAX_STREAMS || this.#streams.has(id)) {
      await this.#answer(resetFrame(id));
      return;
    }
    const stream = new SpdyStream(id, this.socket, () => this.#streams.delete(id));
    this.#streams.set(id, stream);
    await this.#answer(replyFrame(id, await through(this.#deflate, Buffer.alloc(4), MAX_HEADERS)));
    // The client may have left meanwhile, and then nothing would end its stream.
    if (this.closed.aborted) {
      stream.destroy();
      return;
    }
    this.take(headers, stream);
    if (last) await stream.receive(Buffer.alloc(0), true);
  }

  /** A client that does not read its answers is not read from either. */
  async #answer(frame: Buffer): Promise<void> {
    if (this.socket.destroyed) return;
    this.socket.write(frame);
    await untilDrained(this.socket);
  }

  #end(): void {
    this.#closed.abort();
    this.#inflate.close();
    this.#deflate.close();
    for (const stream of [...this.#streams.values()]) stream.destroy();
  }
}

/** The whole output of a compression for the block. */
function through(zlib: Inflate | Deflate, block: Buffer, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const onData = (part: Buffer): void => {
      bytes += part.length;
      if (bytes > limit) done(new Error(`a header block of more than ${limit} bytes`));
      else parts.push(part);
    };
    const done = (error?: Error): void => {
      zlib.off("data", onData);
      zlib.off("error", done);
      zlib.pause();
      if (error === undefined) resolve(Buffer.concat(parts));
      else reject(error);
    };
    zlib.on("data", onData);
    zlib.once("error", done);
    zlib.resume();
    zlib.write(block);
    zlib.flush(constants.Z_SYNC_FLUSH, () => setImmediate(done));
  });
}

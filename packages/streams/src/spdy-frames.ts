/**
 * The frames of SPDY/3.1 that Kubernetes' streaming servers use. SPDY lives on there alone: the libraries left for it speak
 * HTTP over it and refuse the answers of these servers. Header blocks go out without SPDY's dictionary, which zlib allows.
 * Pure.
 */
const CONTROL = 0x8003;
const FIN = 0x01;
const Type = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const HEAD = 8;
/** Go's servers send 32 KiB at a time. */
const LARGEST = 1024 * 1024;

export type SpdyFrame =
  /** `block`: the compressed headers. */
  | { readonly kind: "open"; readonly stream: number; readonly block: Buffer; readonly last: boolean }
  | { readonly kind: "data"; readonly stream: number; readonly data: Buffer; readonly last: boolean }
  | { readonly kind: "reply"; readonly stream: number; readonly last: boolean }
  | { readonly kind: "reset"; readonly stream: number }
  | { readonly kind: "ping"; readonly id: number }
  | { readonly kind: "goAway" }
  | { readonly kind: "other" };

export function dataFrame(stream: number, data: Buffer, last: boolean): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(stream, 0);
  head.writeUInt32BE(((last ? FIN : 0) << 24) | data.length, 4);
  return Buffer.concat([head, data]);
}

/** @param block the compressed headers */
export function openFrame(stream: number, block: Buffer): Buffer {
  const ids = Buffer.alloc(10);
  ids.writeUInt32BE(stream, 0);
  return control(Type.synStream, Buffer.concat([ids, block]));
}

export function pingFrame(id: number): Buffer {
  const body = Buffer.alloc(4);
  body.writeUInt32BE(id, 0);
  return control(Type.ping, body);
}

/** The answer to `openFrame`. @param block the compressed headers */
export function replyFrame(stream: number, block: Buffer): Buffer {
  const id = Buffer.alloc(4);
  id.writeUInt32BE(stream, 0);
  return control(Type.synReply, Buffer.concat([id, block]));
}

/** Refuses or breaks off a stream: REFUSED_STREAM. */
export function resetFrame(stream: number): Buffer {
  const body = Buffer.alloc(8);
  body.writeUInt32BE(stream, 0);
  body.writeUInt32BE(3, 4);
  return control(Type.rstStream, body);
}

/** A header block before its compression: names in lower case. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(headers).flatMap(([name, value]) => [sized(name.toLowerCase()), sized(value)]);
  return Buffer.concat([number(parts.length / 2), ...parts]);
}

/** The headers in a block that is no longer compressed. @throws Error for what is none */
export function readHeaders(block: Buffer): ReadonlyMap<string, string> {
  let at = 0;
  const next = (): number => {
    if (at + 4 > block.length) throw new Error("a header block that ends too early");
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = next();
    if (at + length > block.length) throw new Error("a header block that ends too early");
    at += length;
    return block.toString("utf8", at - length, at);
  };
  const headers = new Map<string, string>();
  const count = next();
  for (let i = 0; i < count; i++) {
    const name = text();
    headers.set(name.toLowerCase(), text());
  }
  return headers;
}

/**
 * Takes bytes as they come and gives whole frames; bytes are put together once for each frame, however small the pieces are.
 * @throws Error for a frame that is too large
 */
export class FrameReader {
  readonly #parts: Buffer[] = [];
  #bytes = 0;
  /** Bytes needed for the next step. */
  #needed = HEAD;

  take(chunk: Buffer): readonly SpdyFrame[] {
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#needed) return [];
    let rest = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    const frames: SpdyFrame[] = [];
    for (this.#needed = HEAD; rest.length >= HEAD; this.#needed = HEAD) {
      const length = rest.readUInt32BE(4) & 0xffffff;
      if (length > LARGEST) throw new Error(`a frame of ${length} bytes, expected at most ${LARGEST}`);
      this.#needed = HEAD + length;
      if (rest.length < this.#needed) break;
      frames.push(frame(rest.subarray(0, HEAD), rest.subarray(HEAD, HEAD + length)));
      rest = rest.subarray(HEAD + length);
    }
    this.#parts.splice(0, this.#parts.length, ...(rest.length > 0 ? [rest] : []));
    this.#bytes = rest.length;
    return frames;
  }
}

function frame(head: Buffer, body: Buffer): SpdyFrame {
  const last = (head.readUInt8(4) & FIN) !== 0;
  const isControl = (head.readUInt8(0) & 0x80) !== 0;
  if (!isControl) return { kind: "data", stream: head.readUInt32BE(0), data: body, last };
  const type = head.readUInt16BE(2);
  if (type === Type.goAway) return { kind: "goAway" };
  if (body.length < 4) return { kind: "other" };
  const id = body.readUInt32BE(0);
  // Behind the two ids stand priority and slot.
  if (type === Type.synStream) {
    return body.length < 10 ? { kind: "other" } : { kind: "open", stream: id, block: body.subarray(10), last };
  }
  if (type === Type.synReply) return { kind: "reply", stream: id, last };
  if (type === Type.rstStream) return { kind: "reset", stream: id };
  return type === Type.ping ? { kind: "ping", id } : { kind: "other" };
}

function control(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt16BE(CONTROL, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}

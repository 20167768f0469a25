/**
 * The frames of SPDY/3.1 that Kubernetes' streaming servers use. SPDY lives on there alone: the libraries left for it speak
 * HTTP over it and refuse the answers of these servers. Header blocks go out without SPDY's dictionary, which zlib allows,
 * and those that come in carry nothing.
 */
const CONTROL = 0x8003;
const FIN = 0x01;
const Type = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const HEAD = 8;
/** Go's servers send 32 KiB at a time. */
const LARGEST = 1024 * 1024;

export type SpdyFrame =
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

/** A header block before its compression: names in lower case. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(headers).flatMap(([name, value]) => [sized(name.toLowerCase()), sized(value)]);
  return Buffer.concat([number(parts.length / 2), ...parts]);
}

/** Takes bytes as they come and gives whole frames. @throws Error for a frame that is too large */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  take(chunk: Buffer): readonly SpdyFrame[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: SpdyFrame[] = [];
    while (this.#rest.length >= HEAD) {
      const length = this.#rest.readUInt32BE(4) & 0xffffff;
      if (length > LARGEST) throw new Error(`a frame of ${length} bytes, expected at most ${LARGEST}`);
      if (this.#rest.length < HEAD + length) break;
      frames.push(frame(this.#rest.subarray(0, HEAD), this.#rest.subarray(HEAD, HEAD + length)));
      this.#rest = this.#rest.subarray(HEAD + length);
    }
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

/**
 * One unary call of gRPC on an HTTP/2 session; its answer comes in the pieces that arrive. A gRPC library hands an answer over whole, and keeps
 * a connection alive that it has given up: ADR 24 has what that costs. All other calls go through grpc-js.
 */
import { type ClientHttp2Session, type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from "node:http2";

/** The most that gRPC can say in eight digits. */
const LONGEST_TIMEOUT = 99_999_999;

export interface UnaryCall {
  /** `/package.Service/Method` */
  readonly path: string;
  /** The request, in protobuf. */
  readonly message: Uint8Array;
  /** Milliseconds; sent to the server, enforced by the caller. */
  readonly timeout: number;
  readonly headers?: OutgoingHttpHeaders;
}

/** Headers or trailers as `node:http2` gives them. */
export type Fields = Readonly<Record<string, unknown>>;

export interface UnaryEnd {
  /** undefined: the server answered nothing. */
  readonly headers: Fields | undefined;
  /** What ended the stream: the headers again where they alone came; undefined: it ended with data. */
  readonly trailers: Fields | undefined;
  /** The text of an error, decoded; empty where there is none. */
  readonly message: string;
  /** The stream's error code in HTTP/2; 0 is none. */
  readonly code: number;
}

/** Calls `end` once, last. @throws where the session takes no request any more */
export function startUnary(
  session: ClientHttp2Session,
  { path, message, timeout, headers }: UnaryCall,
  on: { readonly data: (chunk: Buffer) => void; readonly end: (end: UnaryEnd) => void },
): ClientHttp2Stream {
  const stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: "POST",
    [constants.HTTP2_HEADER_PATH]: path,
    "content-type": "application/grpc",
    "grpc-timeout": `${Math.min(Math.max(1, Math.ceil(timeout)), LONGEST_TIMEOUT)}m`,
    te: "trailers",
    ...headers,
  });
  let response: Fields | undefined;
  let trailers: Fields | undefined;
  stream.on("response", (fields, flags) => {
    response = fields;
    if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) trailers = fields;
  });
  stream.on("trailers", (fields) => {
    trailers = fields;
  });
  stream.on("data", on.data);
  // "close" follows and tells more.
  stream.on("error", () => undefined);
  stream.on("close", () => {
    const message = decoded(trailers?.["grpc-message"]);
    on.end({ headers: response, trailers, message, code: stream.rstCode ?? constants.NGHTTP2_NO_ERROR });
  });
  stream.end(framed(message));
  return stream;
}

/** Percent-decodes a message; invalid sequences stay. */
export function decoded(message: unknown): string {
  return String(message ?? "").replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

/** Not compressed. */
function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

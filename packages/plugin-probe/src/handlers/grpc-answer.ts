/** The status of a gRPC call, with Go's texts (google.golang.org/grpc, internal/transport/http2_client.go). Pure. */
import type { Fields, UnaryEnd } from "@hooklet/streams/grpc";
import type { GrpcOutcome } from "./verdict.js";

/** Bytes of an answer that are read: a health check's has two. */
export const LONGEST_MESSAGE = 64 * 1024;
/** Flag and length before each message. */
const PREFIX = 5;
/** Characters of a server's text that are kept. */
const LONGEST_TEXT = 8 * 1024;

/** By number, as Go names them. */
const CODES = [
  "OK",
  "Canceled",
  "Unknown",
  "InvalidArgument",
  "DeadlineExceeded",
  "NotFound",
  "AlreadyExists",
  "PermissionDenied",
  "ResourceExhausted",
  "FailedPrecondition",
  "Aborted",
  "OutOfRange",
  "Unimplemented",
  "Internal",
  "Unavailable",
  "DataLoss",
  "Unauthenticated",
];

/** The gRPC code for the HTTP status of an answer that is not gRPC. */
const CODE_OF_HTTP: Readonly<Record<number, string>> = {
  400: "Internal",
  401: "Unauthenticated",
  403: "PermissionDenied",
  404: "Unimplemented",
  429: "Unavailable",
  502: "Unavailable",
  503: "Unavailable",
  504: "Unavailable",
};

/** The gRPC code for an HTTP/2 error with which the server reset a stream. */
const RESETS: readonly (readonly [string, string])[] = [
  ["NO_ERROR", "Internal"],
  ["PROTOCOL_ERROR", "Internal"],
  ["INTERNAL_ERROR", "Internal"],
  ["FLOW_CONTROL_ERROR", "ResourceExhausted"],
  ["SETTINGS_TIMEOUT", "Internal"],
  ["STREAM_CLOSED", "Internal"],
  ["FRAME_SIZE_ERROR", "Internal"],
  ["REFUSED_STREAM", "Unavailable"],
  ["CANCEL", "Canceled"],
  ["COMPRESSION_ERROR", "Internal"],
  ["CONNECT_ERROR", "Internal"],
  ["ENHANCE_YOUR_CALM", "ResourceExhausted"],
  ["INADEQUATE_SECURITY", "PermissionDenied"],
  ["HTTP_1_1_REQUIRED", "Internal"],
];

export interface GrpcAnswer extends Pick<UnaryEnd, "trailers" | "message"> {
  readonly headers: Fields;
  readonly body: Buffer;
  /** What HTTP calls the status. */
  readonly statusText: string;
}

/** `statusIn`: what the message says; it may throw. */
export function grpcOutcome(answer: GrpcAnswer, statusIn: (message: Buffer) => string): GrpcOutcome {
  const { headers, trailers, body } = answer;
  const foreign = notGrpc(headers, answer.statusText);
  if (foreign !== undefined) return foreign;
  if (trailers === undefined) return rpcError("Internal", "server closed the stream without sending trailers");
  const given = trailers["grpc-status"];
  const code = given === undefined ? "Unknown" : codeText(String(given));
  if (code !== "OK") return rpcError(code, answer.message);
  if (body.length < PREFIX)
    return rpcError("Internal", "cardinality violation: received no response message from non-server-streaming RPC");
  const length = body.readUInt32BE(1);
  if (body[0] !== 0) return rpcError("Internal", "grpc: compressed flag set with identity or empty encoding");
  if (length > LONGEST_MESSAGE) return tooLong(length);
  if (body.length < PREFIX + length) return rpcError("Internal", "unexpected EOF");
  if (body.length > PREFIX + length) {
    const text = "cardinality violation: expected <EOF> for non server-streaming RPCs, but received another message";
    return rpcError("Internal", text);
  }
  try {
    return { type: "status", status: statusIn(body.subarray(PREFIX)) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return rpcError("Internal", `grpc: failed to unmarshal the received message: ${why}`);
  }
}

export function tooLong(length: number): GrpcOutcome {
  return rpcError("ResourceExhausted", `grpc: received message larger than max (${length} vs. ${LONGEST_MESSAGE})`);
}

/** An error of gRPC by its name in Go. */
export function rpcError(code: string, text: string): GrpcOutcome {
  const kept = text.slice(0, LONGEST_TEXT);
  if (code === "Unimplemented") return { type: "unimplemented", text: kept };
  if (code === "DeadlineExceeded") return { type: "no-answer" };
  return { type: "error", code, text: kept };
}

/** The number of an HTTP/2 error, as RST_STREAM has it. */
export function streamReset(number: number): GrpcOutcome {
  const [name, code] = RESETS[number] ?? [`unknown error code 0x${number.toString(16)}`, "Unknown"];
  return rpcError(code, `stream terminated by RST_STREAM with error code: ${name}`);
}

/** The connection ended before the answer was whole. */
export const CONNECTION_LOST: GrpcOutcome = {
  type: "error",
  code: "Unavailable",
  text: "error reading from server: EOF",
};

function notGrpc(headers: Fields, statusText: string): GrpcOutcome | undefined {
  const http = Number(headers[":status"]);
  const type = headers["content-type"];
  const faults: string[] = [];
  if (http !== 200) faults.push(`unexpected HTTP status code received from server: ${http} (${statusText})`);
  if (type === undefined) faults.push("malformed header: missing HTTP content-type");
  else if (!/^application\/grpc($|[+;])/i.test(String(type)))
    faults.push(`transport: received unexpected content-type ${JSON.stringify(String(type).slice(0, LONGEST_TEXT))}`);
  return faults.length === 0 ? undefined : rpcError(CODE_OF_HTTP[http] ?? "Unknown", faults.join("; "));
}

/** A pod may answer anything: a number that is no code is `Code(99)`, what is no number `Unknown`. */
function codeText(given: string): string {
  if (!/^\d{1,9}$/.test(given)) return "Unknown";
  return CODES[Number(given)] ?? `Code(${Number(given)})`;
}

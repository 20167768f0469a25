/**
 * Kubernetes' channel protocol over websockets, as kubectl and the kubelet speak it: the first byte of a message is its
 * channel. Pure; k8s.io/apimachinery/pkg/util/remotecommand and k8s.io/kubelet/pkg/cri/streaming have the other ends.
 */

/** The newest first. v5 is v4 and a message that closes one channel, without which standard input cannot end. */
export const PROTOCOLS: readonly string[] = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

export const Channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
/** Of a forwarded port; the first message of each is the port, two bytes, the low one first. */
export const PortChannel = { data: 0, error: 1 } as const;

/** Bytes of a message that are accepted; those that are sent are smaller. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Bytes buffered for a reader: a slower reader is disconnected. */
export const MAX_WAITING_BYTES = 16 * 1024 * 1024;
export const CHUNK_BYTES = 64 * 1024;

export interface Message {
  readonly channel: number;
  readonly data: Buffer;
}

/** The first protocol of the client that is known here. */
export function negotiate(offered: Iterable<string>): string | undefined {
  return [...offered].find((protocol) => PROTOCOLS.includes(protocol));
}

/** Whether a channel can be closed before the connection. */
export function canClose(protocol: string): boolean {
  return protocol === PROTOCOLS[0];
}

/** The messages that carry `data`; an empty one for no data. */
export function encode(channel: number, data: Uint8Array): readonly Buffer[] {
  const messages: Buffer[] = [];
  let at = 0;
  do {
    const chunk = data.subarray(at, at + CHUNK_BYTES);
    messages.push(Buffer.concat([Buffer.of(channel), chunk], chunk.length + 1));
    at += CHUNK_BYTES;
  } while (at < data.length);
  return messages;
}

/** @throws Error when there is no byte for the channel */
export function decode(message: Buffer): Message {
  const [channel] = message;
  if (channel === undefined) throw new Error("A message without its channel: expected a first byte, found nothing.");
  return { channel, data: message.subarray(1) };
}

export function encodePort(port: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(port);
  return bytes;
}

/** The terminal's new size. */
export function encodeSize(columns: number, rows: number): Buffer {
  return Buffer.from(JSON.stringify({ Width: columns, Height: rows }));
}

/** @throws Error when it is no size of a terminal */
export function decodeSize(data: Buffer): { readonly columns: number; readonly rows: number } {
  const size = parseObject(data);
  const isSize = (value: unknown): value is number =>
    typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535;
  const { Width: columns, Height: rows } = size;
  if (isSize(columns) && isSize(rows)) return { columns, rows };
  throw new Error(
    `A size of the terminal: expected {"Width": 80, "Height": 24}, found ${data.toString().slice(0, 80)}.`,
  );
}

/** How a command ended. */
export type Outcome =
  | { readonly exitCode: number }
  /** It could not be run, or was broken off. `status` is HTTP's. */
  | { readonly error: string; readonly status: number; readonly reason: string };

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  501: "NotImplemented",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** The v1 Status of the error channel, its last message. */
export function encodeExit(exitCode: number): Buffer {
  if (exitCode === 0) return encodeStatus({ status: "Success" });
  return encodeStatus({
    status: "Failure",
    message: `command terminated with non-zero exit code: ${exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  });
}

export function encodeFailure(message: string, status: number): Buffer {
  return encodeStatus({ status: "Failure", message, reason: reasons[status] ?? "InternalError", code: status });
}

function encodeStatus(status: object): Buffer {
  return Buffer.from(JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, ...status }));
}

/** @throws Error when it is no v1 Status */
export function decodeOutcome(data: Buffer): Outcome {
  const { status, message, reason, code, details } = parseObject(data);
  if (status === "Success") return { exitCode: 0 };
  if (status !== "Failure") {
    throw new Error(`The end of a command: expected a v1 Status, found ${data.toString().slice(0, 80)}.`);
  }
  const exitCode = reason === "NonZeroExitCode" ? exitCodeOf(details) : undefined;
  if (exitCode !== undefined) return { exitCode };
  return {
    error: typeof message === "string" ? message : "no reason is given",
    status: typeof code === "number" ? code : 500,
    reason: typeof reason === "string" ? reason : "",
  };
}

function exitCodeOf(details: unknown): number | undefined {
  const { causes } = (details ?? {}) as { readonly causes?: unknown };
  const all = (Array.isArray(causes) ? causes : []) as readonly ({ reason?: unknown; message?: unknown } | null)[];
  const text = all.find((cause) => cause?.reason === "ExitCode")?.message;
  return typeof text === "string" && /^\d{1,3}$/.test(text) ? Number(text) : undefined;
}

function parseObject(data: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(data.toString());
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // The caller, which knows what was expected, reports it.
  }
  return {};
}

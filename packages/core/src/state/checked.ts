/** The form of every state file: one header line with format, length and checksum, then the payload as JSON. */
import { createHash } from "node:crypto";
import { errorText, type Json, NodeAgentError } from "@hooklet/utils";

const FORMAT = "hooklet-state/1";

/** `hooklet-state/1 sha256=<hex> bytes=<n>`, a line feed, the payload. The checksum is over the payload's bytes. */
export function encodeChecked(value: Json): string {
  const payload = JSON.stringify(value);
  return `${FORMAT} sha256=${sha256(payload)} bytes=${Buffer.byteLength(payload)}\n${payload}`;
}

/** The payload of `encodeChecked`. Throws STATE_UNREADABLE when a single bit is off, or the file ends early. */
export function decodeChecked(text: string): Json {
  const end = text.indexOf("\n");
  const header = /^(\S+) sha256=([0-9a-f]{64}) bytes=(\d+)$/.exec(text.slice(0, Math.max(end, 0)));
  if (header === null) throw damaged("it has no header line");
  const [, format, checksum, bytes] = header;
  if (format !== FORMAT) throw damaged(`its format is ${format}, expected ${FORMAT}`);
  const payload = text.slice(end + 1);
  const found = Buffer.byteLength(payload);
  if (found !== Number(bytes)) throw damaged(`it holds ${found} of ${bytes} bytes`);
  if (sha256(payload) !== checksum) throw damaged("its checksum does not match");
  try {
    return JSON.parse(payload) as Json;
  } catch (error) {
    throw damaged(errorText(error));
  }
}

function sha256(payload: string): string {
  return createHash("sha256").update(payload).digest("hex");
}

function damaged(why: string): NodeAgentError {
  return new NodeAgentError("STATE_UNREADABLE", `State file is damaged: ${why}`);
}

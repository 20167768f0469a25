/** The bytes of a manifest as text. */
import { ManifestError } from "./error.js";

export const MAX_MANIFEST_BYTES = 10 * 1024 * 1024;

/** UTF-8 without its byte order mark. Throws ManifestError for other encodings, NUL bytes and more than 10 MiB. */
export function manifestText(source: Uint8Array | string, where: string): string {
  const bytes = typeof source === "string" ? Buffer.from(source) : source;
  if (bytes.length > MAX_MANIFEST_BYTES) {
    throw new ManifestError(where, [
      { message: `the manifest has ${bytes.length} bytes; expected at most ${MAX_MANIFEST_BYTES}` },
    ]);
  }
  const text = decode(bytes, where);
  const nul = text.indexOf("\0");
  if (nul >= 0) {
    throw new ManifestError(where, [{ line: lineAt(text, nul), message: "a NUL byte; expected a text in UTF-8" }]);
  }
  return text;
}

function decode(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const readable = new TextDecoder("utf-8").decode(bytes);
    const line = lineAt(readable, readable.indexOf("\ufffd"));
    throw new ManifestError(where, [{ line, message: "not UTF-8; expected a text in UTF-8" }]);
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, Math.max(0, offset)).split("\n").length;
}

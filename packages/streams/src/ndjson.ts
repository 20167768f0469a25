/** Newline-delimited JSON over a byte stream: one value a line. */

import type { Json, Pod } from "@hooklet/core";
import { invalid, NodeAgentError } from "@hooklet/utils";

/** Its media type. */
export const NDJSON = "application/x-ndjson";

/** One line of it. */
export function encodeLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/**
 * The values of a stream of lines.
 * @throws NodeAgentError INVALID naming the line when it is not JSON or longer than `maxBytes`.
 */
export async function* decodeLines(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Json> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let number = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      number += 1;
      checkSize(size + end - start, maxBytes, number);
      pieces.push(chunk.subarray(start, end));
      const text = Buffer.concat(pieces).toString("utf8");
      pieces = [];
      size = 0;
      start = end + 1;
      if (text.trim() !== "") yield parseLine(text, number);
    }
    if (start < chunk.length) {
      pieces.push(chunk.subarray(start));
      size += chunk.length - start;
      checkSize(size, maxBytes, number + 1);
    }
  }
  if (size > 0) yield parseLine(Buffer.concat(pieces).toString("utf8"), number + 1);
}

function checkSize(size: number, maxBytes: number, number: number): void {
  if (size > maxBytes)
    throw new NodeAgentError("INVALID", `Line ${number} of the stream is longer than ${maxBytes} bytes.`);
}

function parseLine(text: string, number: number): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new NodeAgentError("INVALID", `Line ${number} of the stream is not JSON: ${text.slice(0, 80)}`, { cause });
  }
}

// Objects that go over HTTP as JSON.

/** Of an answer that is an error. */
export interface ErrorBody {
  /** The message. */
  readonly error: string;
  /** A NodeAgentErrorCode, a RuntimeErrorCode, or the server's own: FORBIDDEN, BAD_REQUEST, NO_ROUTE, INTERNAL. */
  readonly code: string;
}

/** A line of a watch of pods, as Kubernetes has it. */
export interface PodChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Pod;
}

// Lines of a log as they go to a client that keeps its streams apart: one JSON object a line, bytes in base64.

/** `error` and `from` are the last frame; `from` asks the client to request the rest from there: the stream's time was over, and the log continues. */
export type OutputFrame =
  | { readonly stdout: Buffer }
  | { readonly stderr: Buffer }
  | { readonly error: string; readonly code: string }
  | { readonly from: string };

/** @throws NodeAgentError INVALID for what is no frame */
export function parseOutput(value: Json): OutputFrame {
  const { stdout, stderr, error, code, from } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (isBase64(stdout)) return { stdout: Buffer.from(stdout, "base64") };
  if (isBase64(stderr)) return { stderr: Buffer.from(stderr, "base64") };
  if (typeof error === "string" && typeof code === "string") return { error, code };
  if (typeof from === "string") return { from };
  throw invalid("line of a log", "stdout, stderr, error or from", value);
}

function isBase64(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

export function positionFrame({
  inode,
  offset,
}: {
  readonly inode: number;
  readonly offset: number;
}): Record<string, string> {
  return { from: `${inode}:${offset}` };
}

/** A frame with bytes, ready to be sent. */
export function bytesFrame(kind: "stdout" | "stderr", data: Buffer): Record<string, string> {
  return { [kind]: data.toString("base64") };
}

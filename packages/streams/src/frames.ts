/** Lines of a log as they go to a client that keeps its streams apart: one JSON object a line, bytes in base64. */

import type { Json } from "@hooklet/core";
import { invalid } from "@hooklet/utils";

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

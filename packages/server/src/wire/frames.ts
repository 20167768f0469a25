/** Lines of a log as they go over the control socket: one JSON object a line, bytes in base64. */

import type { Json } from "@hooklet/core";
import type { LogPosition } from "@hooklet/core/host";
import { z } from "zod";

const base64 = z.base64().transform((text) => Buffer.from(text, "base64"));

const output = z.union([
  z.strictObject({ stdout: base64 }),
  z.strictObject({ stderr: base64 }),
  z.strictObject({ error: z.string(), code: z.string() }),
  z.strictObject({ from: z.string().max(64) }),
]);

/** `error` and `from` are the last one; with `from` the same is asked for again, as `from`: the stream's time was over, and the log is not. */
export type OutputFrame = z.infer<typeof output>;

export const parseOutput = (value: Json): OutputFrame => output.parse(value);

export function positionFrame({ inode, offset }: LogPosition): Record<string, string> {
  return { from: `${inode}:${offset}` };
}

/** A frame with bytes, ready to be sent. */
export function bytesFrame(kind: "stdout" | "stderr", data: Buffer): Record<string, string> {
  return { [kind]: data.toString("base64") };
}

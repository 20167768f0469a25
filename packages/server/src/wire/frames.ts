/** What goes over the control socket while a command runs in a container or a log is read: one JSON object a line, bytes in base64. */

import type { Json } from "@hooklet/core";
import { z } from "zod";

const base64 = z.base64().transform((text) => Buffer.from(text, "base64"));

export const startFrame = z.strictObject({
  start: z.strictObject({
    command: z.array(z.string()).min(1).max(10_000),
    container: z.string().optional(),
    tty: z.boolean(),
    stdin: z.boolean(),
  }),
});

export const inputFrame = z.union([
  z.strictObject({ stdin: base64 }),
  z.strictObject({ resize: z.strictObject({ columns: z.int().min(1).max(65_535), rows: z.int().min(1).max(65_535) }) }),
  z.strictObject({ close: z.literal(true) }),
]);

const output = z.union([
  z.strictObject({ stdout: base64 }),
  z.strictObject({ stderr: base64 }),
  z.strictObject({ taken: z.int().min(1) }),
  z.strictObject({ exit: z.int() }),
  z.strictObject({ error: z.string(), code: z.string() }),
]);

/** The first line of an exec request. */
export type StartFrame = z.infer<typeof startFrame>;
/** Further lines of an exec request. */
export type InputFrame = z.infer<typeof inputFrame>;
/** Lines of the answer. `taken`: so many bytes of input have gone on to the command. `exit` or `error` is the last one. */
export type OutputFrame = z.infer<typeof output>;

export const parseOutput = (value: Json): OutputFrame => output.parse(value);

/**
 * Bytes of input that may be on their way. The agent reads on while a command does not, or it would not see that the client is
 * gone; so it is the client who waits, for `taken`.
 */
export const INPUT_WINDOW = 256 * 1024;

/** Longest line that is accepted: a chunk of 64 KiB in base64 with room to spare; a command may be as long as the kernel takes. */
export const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/** A frame with bytes, ready to be sent. */
export function bytesFrame(kind: "stdin" | "stdout" | "stderr", data: Buffer): Record<string, string> {
  return { [kind]: data.toString("base64") };
}

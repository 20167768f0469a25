/** A command in a container with its input and output: the CRI's Exec over the runtime's streaming server. */

import type { Duplex } from "node:stream";
import { finished } from "node:stream/promises";
import type { Clock } from "@hooklet/core";
import { type InteractiveExec, RuntimeError } from "@hooklet/core/host";
import { z } from "zod";
import { connect, opening } from "./stream-connection.js";

/** KILL's: the command's own is not known when the connection is cut. */
const ABORTED = 137;
/** Bytes of how it ended, a v1 Status. */
const LONGEST = 64 * 1024;

interface ExecStreams {
  readonly tty: boolean;
  readonly stdin: boolean;
}

export async function interactiveExec(
  url: string,
  { tty, stdin }: ExecStreams,
  clock: Clock,
  output: (stream: "stdout" | "stderr", data: Buffer) => void,
): Promise<InteractiveExec> {
  const connection = await connect(url, "v4.channel.k8s.io", clock);
  const open = (streamType: string): Promise<Duplex> => connection.open({ streamType });
  const { verdict, input, out, err, size } = await opening(connection, async () => ({
    verdict: await open("error"),
    input: stdin ? await open("stdin") : undefined,
    out: await open("stdout"),
    // A terminal has one output, and a size.
    err: tty ? undefined : await open("stderr"),
    size: tty ? await open("resize") : undefined,
  }));

  let aborted = false;
  const all = Promise.all([read(verdict), drain(out, "stdout", output), drain(err, "stderr", output)]);
  const exitCode = all
    .then(
      ([status]) => exitCodeOf(status),
      (error: unknown) => {
        if (aborted) return ABORTED;
        throw error;
      },
    )
    .finally(() => connection.close());
  exitCode.catch(() => undefined);

  return {
    exitCode,
    write: (data) => void input?.write(data),
    // An empty write completes when all earlier ones have, or when the reader is gone.
    drained: () => new Promise((resolve) => (input === undefined ? resolve() : input.write("", () => resolve()))),
    pause: () => {
      for (const stream of [out, err]) stream?.pause();
    },
    resume: () => {
      for (const stream of [out, err]) stream?.resume();
    },
    endInput: () => void input?.end(),
    resize: (columns, rows) => void size?.write(`${JSON.stringify({ Width: columns, Height: rows })}\n`),
    abort: () => {
      aborted = true;
      connection.close();
    },
  };
}

async function read(stream: Duplex): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LONGEST) {
      const text = `the runtime reported a command's end in more than ${LONGEST} bytes: expected a v1 Status`;
      throw new RuntimeError("unknown", text);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Resolves when the stream has ended. */
async function drain(
  stream: Duplex | undefined,
  name: "stdout" | "stderr",
  output: (stream: "stdout" | "stderr", data: Buffer) => void,
): Promise<void> {
  if (stream === undefined) return;
  stream.on("data", (chunk: Buffer) => output(name, chunk));
  await finished(stream, { writable: false });
}

// How a command ended, as an error stream tells it.

/** An empty text is no 0: the command failed. */
const WHOLE = /^-?\d+$/;

/** The OCI runtime's own words, behind those of all that called it. */
const NOT_RUN = /unable to start container process: (exec: .*?)(?:: unknown)?$/s;

const status = z.object({
  status: z.string(),
  message: z.string().optional(),
  reason: z.string().optional(),
  details: z
    .object({ causes: z.array(z.object({ reason: z.string().optional(), message: z.string() })).optional() })
    .optional(),
});

/**
 * The exit code in the metav1.Status on the error stream (protocol v4).
 * @throws RuntimeError for a command that could not be run
 */
export function exitCodeOf(text: string): number {
  const parsed = status.safeParse(parse(text));
  if (!parsed.success) throw new RuntimeError("unknown", `the runtime ended the command with ${JSON.stringify(text)}`);
  const { data } = parsed;
  if (data.status === "Success") return 0;
  const cause = data.details?.causes?.find(({ reason }) => reason === "ExitCode");
  if (data.reason === "NonZeroExitCode" && WHOLE.test(cause?.message ?? "")) return Number(cause?.message);
  const message = data.message ?? text;
  throw new RuntimeError("unknown", NOT_RUN.exec(message)?.[1] ?? message);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // reported whole by the caller
  }
}

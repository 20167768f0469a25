/**
 * `POST /exec/:namespace/:name`: runs a command in a container over one HTTP request whose two directions are open at the same time.
 * First line in: `{start}`; then `{stdin}`, `{resize}`, `{close}`. Lines out: `{stdout}`, `{stderr}`, last `{exit}` or `{error}`.
 * Control socket only.
 */
import type { Readable } from "node:stream";
import type { Json } from "@hooklet/core";
import { invalid } from "@hooklet/core/base";
import type { InteractiveExec } from "@hooklet/core/host";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { type LineStream, lineStream } from "./line-stream.js";
import { parseInput, text } from "./query.js";
import type { ServerContext } from "./server-context.js";
import { errorAnswer } from "./wire/error-body.js";
import { bytesFrame, INPUT_WINDOW, inputFrame, MAX_FRAME_BYTES, startFrame } from "./wire/frames.js";
import { decodeLines } from "./wire/ndjson.js";

/** A client that heeds the window is always below: it may be over by one chunk. */
const MAX_WAITING_INPUT = INPUT_WINDOW + MAX_FRAME_BYTES;
const NDJSON = "application/x-ndjson";
const params = z.object({ namespace: text, name: text });

export function execRoute(app: FastifyInstance, { api }: ServerContext): void {
  // The body is a stream that stays open: it is handed on unread.
  app.addContentTypeParser(NDJSON, (_request, payload, done) => done(null, payload));

  app.post<{ Body: Readable }>("/exec/:namespace/:name", async (request, reply) => {
    const pod = parseInput(params, request.params, "path");
    const frames = decodeLines(request.body, MAX_FRAME_BYTES);
    const first = await frames.next();
    if (first.done === true) throw invalid("body", "a start frame", "nothing");
    const { start } = parseInput(startFrame, first.value, "start frame");
    const { container, ...options } = start;
    const lines = lineStream();
    const flow = new Flow(lines);
    const running = await api.exec(pod, container, options, (stream, data) => {
      lines.send(bytesFrame(stream, data));
      flow.check();
    });
    flow.control(running);
    // A client that hangs up takes its command with it.
    lines.signal.addEventListener("abort", () => running.abort());
    void feed(frames, running, lines);
    void report(running, lines);
    return reply.type(NDJSON).send(lines.readable);
  });
}

/** Holds a command up while its reader is slow. */
class Flow {
  #running: InteractiveExec | undefined;
  #held = false;

  constructor(private readonly lines: LineStream) {}

  control(running: InteractiveExec): void {
    this.#running = running;
    this.check();
  }

  check(): void {
    const running = this.#running;
    if (this.#held || !this.lines.full || running?.pause === undefined) return;
    this.#held = true;
    running.pause();
    void this.lines.drained().then(() => {
      this.#held = false;
      running.resume?.();
    });
  }
}

/** Input frames to the command. Broken ones end the command; a client that leaves is told by the answer's stream. */
async function feed(frames: AsyncGenerator<Json>, running: InteractiveExec, lines: LineStream): Promise<void> {
  let waiting = 0;
  const write = async (data: Buffer): Promise<void> => {
    waiting += data.length;
    if (waiting > MAX_WAITING_INPUT)
      throw invalid("stdin", `at most ${INPUT_WINDOW} bytes that are not yet taken`, waiting);
    running.write(data);
    await running.drained?.();
    waiting -= data.length;
    if (data.length > 0) lines.send({ taken: data.length });
  };
  const fail = (error: unknown): void => {
    if (lines.closed) return;
    lines.send(errorAnswer(error).body);
    lines.end();
    running.abort();
  };
  try {
    for await (const value of frames) {
      const frame = parseInput(inputFrame, value, "frame");
      if ("stdin" in frame) void write(frame.stdin).catch(fail);
      else if ("resize" in frame) running.resize(frame.resize.columns, frame.resize.rows);
      else running.endInput();
    }
    running.endInput();
  } catch (error) {
    fail(error);
  }
}

async function report(running: InteractiveExec, lines: LineStream): Promise<void> {
  try {
    lines.send({ exit: await running.exitCode });
  } catch (error) {
    lines.send(errorAnswer(error).body);
  }
  lines.end();
}

/**
 * `POST /exec/:namespace/:name`: runs a command in a container over one HTTP request whose two directions are open at the same time.
 * First line in: `{start}`; then `{stdin}`, `{resize}`, `{close}`. Lines out: `{stdout}`, `{stderr}`, last `{exit}` or `{error}`.
 * Control socket only.
 */
import type { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { invalid } from "../errors.js";
import type { Json } from "../json.js";
import type { InteractiveExec } from "../runtime/port.js";
import { errorAnswer } from "../wire/error-body.js";
import { bytesFrame, MAX_FRAME_BYTES, parseInput as parseFrame, parseStart } from "../wire/frames.js";
import { decodeLines } from "../wire/ndjson.js";
import type { ServerContext } from "./app.js";
import { type LineStream, lineStream } from "./line-stream.js";
import { parseInput, text } from "./query.js";

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
    const { start } = parseInput(z.custom<Json>().transform(parseStart), first.value, "start frame");
    const { container, ...options } = start;
    const lines = lineStream();
    const running = await api.exec(pod, container, options, (stream, data) => lines.send(bytesFrame(stream, data)));
    // A client that hangs up takes its command with it.
    lines.signal.addEventListener("abort", () => running.abort());
    void feed(frames, running, lines);
    void report(running, lines);
    return reply.type(NDJSON).send(lines.readable);
  });
}

/** Input frames to the command. Broken ones end the command; a client that leaves is told by the answer's stream. */
async function feed(frames: AsyncGenerator<Json>, running: InteractiveExec, lines: LineStream): Promise<void> {
  try {
    for await (const value of frames) {
      const frame = parseFrame(value);
      if ("stdin" in frame) running.write(frame.stdin);
      else if ("resize" in frame) running.resize(frame.resize.columns, frame.resize.rows);
      else running.endInput();
    }
    running.endInput();
  } catch (error) {
    if (lines.closed) return;
    lines.send(errorAnswer(error).body);
    lines.end();
    running.abort();
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

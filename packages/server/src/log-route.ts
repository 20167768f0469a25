/** `GET /logs/:namespace/:name`: a container's log as frames, on request until it ends. Control socket only. */

import { errorText } from "@hooklet/core/base";
import { assertLogThere, assertTimes, readLog } from "@hooklet/core/host";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { logOptions, logQuery } from "./log-options.js";
import { count, parseInput, podParams, text } from "./query.js";
import type { ServerContext } from "./server-context.js";
import type { StreamRoom } from "./stream-room.js";
import { errorAnswer } from "./wire/error-body.js";
import { bytesFrame, positionFrame } from "./wire/frames.js";

const from = text
  .regex(/^\d{1,20}:\d{1,16}$/)
  .transform((place) => place.split(":").map(Number) as [number, number])
  .transform(([inode, offset]) => ({ inode, offset }))
  .optional();
const query = z.object({ ...logQuery, container: text.optional(), tail: count(Number.MAX_SAFE_INTEGER), from });

export function logRoute(app: FastifyInstance, { api, clock, log }: ServerContext, streams: StreamRoom): void {
  app.get("/logs/:namespace/:name", async (request, reply) => {
    const asked = parseInput(query, request.query);
    const pod = parseInput(podParams, request.params, "path");
    const file = await api.log(pod, asked.container, { previous: asked.previous });
    const options = logOptions(asked, asked.tail, clock.now());
    assertTimes(file, options);
    await assertLogThere(clock, file);
    const until = new AbortController();
    const lines = streams.open(() => until.abort());
    readLog(
      clock,
      file,
      { ...options, until: until.signal, ...(asked.from !== undefined && { from: asked.from }) },
      (stream, data) => lines.send(bytesFrame(stream, data)),
      () => lines.drained(),
      lines.signal,
    )
      .then((position) => {
        if (position !== undefined) lines.send(positionFrame(position));
      })
      .catch((error: unknown) => {
        log.warn({ err: error }, `Reading ${file.path} failed: ${errorText(error)}`);
        lines.send(errorAnswer(error).body);
      })
      .finally(() => lines.end());
    return reply.type("application/x-ndjson").send(lines.readable);
  });
}

/**
 * `POST /port-forward/:namespace/:name?port=N`: one connection to a port inside a pod. What comes in the body goes to the
 * port, what the port says is the answer; both directions are open at the same time. Control socket only.
 */
import type { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { parseInput, text } from "./query.js";
import type { ServerContext } from "./server-context.js";

const BYTES = "application/octet-stream";
const params = z.object({ namespace: text, name: text });
const query = z.object({ port: z.coerce.number().int().min(1).max(65_535) });

export function portForwardRoute(app: FastifyInstance, { api }: ServerContext): void {
  // The body is a stream that stays open: it is handed on unread.
  app.addContentTypeParser(BYTES, (_request, payload, done) => done(null, payload));

  app.post<{ Body: Readable }>("/port-forward/:namespace/:name", async (request, reply) => {
    const pod = parseInput(params, request.params, "path");
    const { port } = parseInput(query, request.query);
    const connection = await api.portForward(pod, port);
    // Who breaks off on one side breaks off on the other.
    request.body.on("error", (error) => connection.destroy(error));
    request.body.pipe(connection);
    // An error before the first byte is an answer like any other; a later one cuts the answer.
    return reply.type(BYTES).send(connection);
  });
}

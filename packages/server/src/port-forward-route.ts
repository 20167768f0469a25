/**
 * `GET /port-forward/:namespace/:name?port=N` as a websocket: one connection to a port inside a pod. Control socket only.
 */
import { namespacedName } from "@hooklet/manifest";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Audit } from "./audit.js";
import { ChannelConnection } from "./channels/connection.js";
import { servePort } from "./channels/forward.js";
import { parseInput, podParams } from "./query.js";
import type { ServerContext } from "./server-context.js";
import { control } from "./surfaces.js";
import { requireProtocol } from "./upgrade.js";

const query = z.object({ port: z.coerce.number().int().min(1).max(65_535) });

export function portForwardRoute(app: FastifyInstance, { api, clock }: ServerContext, audit: Audit): void {
  const preValidation = requireProtocol((request) => void parseInput(query, request.query));
  app.get("/port-forward/:namespace/:name", { websocket: true, preValidation }, async (socket, request) => {
    const pod = parseInput(podParams, request.params, "path");
    const { port } = parseInput(query, request.query);
    const connection = new ChannelConnection(socket);
    connection.watch(clock, control.streams.idle);
    await servePort(connection, port, () =>
      audit.session(request, `port-forward to port ${port} of pod ${namespacedName(pod)}`, () =>
        api.portForward(pod, port),
      ),
    );
  });
}

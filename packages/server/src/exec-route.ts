/**
 * `GET /exec/:namespace/:name` as a websocket: runs a command in a container. The query is the kubelet's: `command`, once
 * a word, `input`, `output`, `error`, `tty`; and `container`. Control socket only.
 */
import { namespacedName } from "@hooklet/manifest";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Audit } from "./audit.js";
import { ChannelConnection } from "./channels/connection.js";
import { Channel } from "./channels/protocol.js";
import { serveExec } from "./channels/serve-exec.js";
import { flag, parseInput, podParams, text } from "./query.js";
import type { ServerContext } from "./server-context.js";
import { control } from "./surfaces.js";
import { requireProtocol } from "./upgrade.js";

const words = z.union([z.string(), z.array(z.string()).max(10_000)]).transform((one) => [one].flat());
const query = z.object({
  command: words,
  container: text.optional(),
  input: flag,
  output: flag,
  error: flag,
  tty: flag,
});

export function execRoute(app: FastifyInstance, { api, clock }: ServerContext, audit: Audit): void {
  const preValidation = requireProtocol((request) => void parseInput(query, request.query));
  app.get("/exec/:namespace/:name", { websocket: true, preValidation }, async (socket, request) => {
    const pod = parseInput(podParams, request.params, "path");
    const { command, container, input: stdin, tty, ...wanted } = parseInput(query, request.query);
    const connection = new ChannelConnection(socket);
    connection.watch(clock, control.streams.idle);
    // Some clients wait for a first message before they believe in the connection; so does the kubelet's server.
    connection.send(wanted.output ? Channel.stdout : Channel.error, Buffer.alloc(0));
    await serveExec(connection, (output) =>
      // Its first word alone: the others may hold secrets.
      audit.session(request, `exec in pod ${namespacedName(pod)}: ${command[0] ?? ""}`, () =>
        api.exec(pod, container, { command, tty, stdin }, (stream, data) => {
          if (stream === "stdout" ? wanted.output : wanted.error) output(stream, data);
        }),
      ),
    );
  });
}

/** `GET /containerLogs/:namespace/:pod/:container`, as the API server asks for it on behalf of `kubectl logs`. */
import { errorText, isNodeAgentError } from "@hooklet/core/base";
import { assertLogThere, assertTimes, readLog } from "@hooklet/core/host";
import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import { logOptions, logQuery } from "../log-options.js";
import { count, parseInput, text } from "../query.js";
import type { ServerContext } from "../server-context.js";
import type { StreamRoom } from "../stream-room.js";
import { byteStream } from "./log-bytes.js";
import { logRefusal } from "./log-refusal.js";
import { podNamed } from "./pod-named.js";

const params = z.object({ namespace: text, name: text, container: text });
const query = z.object({
  ...logQuery,
  tailLines: count(Number.MAX_SAFE_INTEGER),
  limitBytes: count(Number.MAX_SAFE_INTEGER),
  stream: z.enum(["All", "Stdout", "Stderr"]).default("All"),
});

export function containerLogsRoute(
  app: FastifyInstance,
  { api, clock, log }: ServerContext,
  streams: StreamRoom,
): void {
  app.get("/containerLogs/:namespace/:name/:container", async (request, reply) => {
    const { namespace, name, container } = parseInput(params, request.params, "path");
    const wanted = parseInput(query, request.query);
    const pod = podNamed(api, { namespace, name });
    if (pod === undefined) return refuse(reply, 404, `pod "${name}" does not exist`);
    const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
    if (![...containers, ...initContainers, ...ephemeralContainers].some((one) => one.name === container)) {
      return refuse(reply, 404, `container "${container}" not found in pod "${name}"`);
    }
    const refusal = logRefusal(pod, container, wanted.previous);
    if (refusal !== undefined) return refuse(reply, 400, refusal);
    try {
      const file = await api.log({ namespace, name }, container, { previous: wanted.previous });
      const options = logOptions(wanted, wanted.tailLines, clock.now());
      assertTimes(file, options);
      await assertLogThere(clock, file);
      const place = streams.place();
      const bytes = byteStream(wanted.limitBytes, () => place.sent());
      place.held(() => bytes.end(), bytes.signal);
      const takes = { All: ["stdout", "stderr"], Stdout: ["stdout"], Stderr: ["stderr"] }[wanted.stream];
      const output = (stream: "stdout" | "stderr", data: Buffer): void => {
        if (takes.includes(stream)) bytes.send(data);
      };
      readLog(clock, file, options, output, () => bytes.drained(), bytes.signal)
        .catch((error: unknown) => log.warn({ err: error }, `Reading ${file.path} failed: ${errorText(error)}`))
        .finally(() => bytes.end());
      // Whoever follows a silent container still hears that there is one. By then all headers are set.
      if (wanted.follow) reply.raw.once("pipe", () => reply.raw.flushHeaders());
      return reply.type("text/plain").send(bytes.readable);
    } catch (error) {
      if (isNodeAgentError(error, "NOT_FOUND")) return refuse(reply, 400, errorText(error));
      throw error;
    }
  });
}

/** The API server hands the text on. */
function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).type("text/plain; charset=utf-8").send(message);
}

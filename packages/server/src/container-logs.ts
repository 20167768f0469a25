/**
 * `GET /containerLogs/:namespace/:pod/:container`, with the kubelet's query: a container's log as bytes, on request until it ends. Who accepts
 * lines of JSON gets frames, which keep its streams apart and say where to go on (`from`) when the answer's time is over.
 */

import type { Readable } from "node:stream";
import type { LogFile } from "@hooklet/core/host";
import { assertLogThere, assertTimes, type LogPosition, readLog } from "@hooklet/logs";
import { allContainers, type Pod } from "@hooklet/manifest";
import { bytesFrame, NDJSON, positionFrame } from "@hooklet/streams";
import { errorText, isNodeAgentError, NodeAgentError } from "@hooklet/utils";
import type { FastifyInstance } from "fastify";
import type { ContainerStatus } from "kubernetes-types/core/v1.js";
import { z } from "zod";
import type { Endpoint } from "./endpoints.js";
import { errorAnswer } from "./error-answer.js";
import { count, flag, parseInput, podNamed, text } from "./query.js";
import type { ServerContext } from "./server-context.js";
import { byteStream, type StreamPool } from "./stream-pool.js";

const params = z.object({ namespace: text, name: text, container: text });
const from = text
  .regex(/^\d{1,20}:\d{1,16}$/)
  .transform((place) => place.split(":").map(Number) as [number, number])
  .transform(([inode, offset]) => ({ inode, offset }))
  .optional();
const query = z.object({
  previous: flag,
  follow: flag,
  timestamps: flag,
  sinceSeconds: count(2 ** 40),
  sinceTime: z.iso.datetime({ offset: true }).optional(),
  tailLines: count(Number.MAX_SAFE_INTEGER),
  limitBytes: count(Number.MAX_SAFE_INTEGER),
  stream: z.enum(["All", "Stdout", "Stderr"]).default("All"),
  from,
});

/** A streaming answer. */
interface LogAnswer {
  readonly type: string;
  readonly readable: Readable;
  /** Aborted when the reader is gone, or has everything it requested. */
  readonly signal: AbortSignal;
  /** Aborted when its time is over. */
  readonly until?: AbortSignal;
  send(stream: "stdout" | "stderr", data: Buffer): void;
  drained(): Promise<void>;
  /** The position where another request can continue. */
  goesOn?(position: LogPosition): void;
  failed?(error: unknown): void;
  end(): void;
}

export function containerLogsRoute(
  app: FastifyInstance,
  { api, clock, log }: ServerContext,
  { streams, client }: { readonly streams: StreamPool; readonly client: Endpoint["client"] },
): void {
  app.get("/containerLogs/:namespace/:name/:container", async (request, reply) => {
    const { container, ...name } = parseInput(params, request.params, "path");
    const asked = parseInput(query, request.query);
    const { follow, timestamps, previous, tailLines } = asked;
    const since = sinceOf(asked, clock.now());
    const options = {
      follow,
      timestamps,
      ...(since !== undefined && { since }),
      ...(tailLines !== undefined && { tail: tailLines }),
      ...(asked.from !== undefined && { from: asked.from }),
    };
    const file = await opened(name, container, { previous, options });
    const answer = request.headers.accept === NDJSON ? frames(streams) : bytes(streams, asked.limitBytes);
    const takes = { All: ["stdout", "stderr"], Stdout: ["stdout"], Stderr: ["stderr"] }[asked.stream];
    readLog(
      clock,
      file,
      { ...options, ...(answer.until !== undefined && { until: answer.until }) },
      (stream, data) => {
        if (takes.includes(stream)) answer.send(stream, data);
      },
      () => answer.drained(),
      answer.signal,
    )
      .then((position) => {
        if (position !== undefined) answer.goesOn?.(position);
      })
      .catch((error: unknown) => {
        log.warn({ err: error }, `Reading ${file.path} failed: ${errorText(error)}`);
        answer.failed?.(error);
      })
      .finally(() => answer.end());
    // With `follow`, the client of a silent container gets the headers at once. By then all are set.
    if (follow) reply.raw.once("pipe", () => reply.raw.flushHeaders());
    return reply.type(answer.type).send(answer.readable);
  });

  async function opened(
    name: { readonly namespace: string; readonly name: string },
    container: string,
    { previous, options }: { readonly previous: boolean; readonly options: Parameters<typeof assertTimes>[1] },
  ): Promise<LogFile> {
    if (client === "apiServer") assertReadable(podNamed(api, name), { ...name, container, previous });
    try {
      const file = await api.log(name, container, { previous });
      assertTimes(file, options);
      await assertLogThere(clock, file);
      return file;
    } catch (error) {
      throw client === "apiServer" && isNodeAgentError(error, "NOT_FOUND")
        ? new NodeAgentError("INVALID", error.message)
        : error;
    }
  }
}

/** @throws NodeAgentError with the kubelet's message, which the API server passes on */
function assertReadable(
  pod: Pod | undefined,
  { name, container, previous }: { readonly name: string; readonly container: string; readonly previous: boolean },
): void {
  if (pod === undefined) throw new NodeAgentError("NOT_FOUND", `pod "${name}" does not exist`);
  if (!allContainers(pod).some((one) => one.name === container))
    throw new NodeAgentError("NOT_FOUND", `container "${container}" not found in pod "${name}"`);
  const refusal = logRefusal(pod, container, previous);
  if (refusal !== undefined) throw new NodeAgentError("INVALID", refusal);
}

function sinceOf(
  { sinceTime, sinceSeconds }: { readonly sinceTime?: string | undefined; readonly sinceSeconds?: number | undefined },
  now: number,
): number | undefined {
  if (sinceTime !== undefined) return Date.parse(sinceTime);
  return sinceSeconds === undefined ? undefined : now - sinceSeconds * 1000;
}

function frames(streams: StreamPool): LogAnswer {
  const until = new AbortController();
  const lines = streams.open(() => until.abort());
  return {
    type: NDJSON,
    readable: lines.readable,
    signal: lines.signal,
    until: until.signal,
    send: (stream, data) => lines.send(bytesFrame(stream, data)),
    drained: () => lines.drained(),
    goesOn: (position) => lines.send(positionFrame(position)),
    failed: (error) => lines.send(errorAnswer(error).body),
    end: () => lines.end(),
  };
}

/** @param limit bytes; undefined: all */
function bytes(streams: StreamPool, limit: number | undefined): LogAnswer {
  const slot = streams.slot();
  const stream = byteStream(limit, () => slot.sent());
  slot.held(() => stream.end(), stream.signal);
  return {
    type: "text/plain",
    readable: stream.readable,
    signal: stream.signal,
    send: (_, data) => stream.send(data),
    drained: () => stream.drained(),
    end: () => stream.end(),
  };
}

// Why a container has no log, with the kubelet's messages (validateContainerLogStatus).

/** Undefined: it has one, or may have. */
export function logRefusal({ metadata, status }: Pod, container: string, previous: boolean): string | undefined {
  const named = `container "${container}" in pod "${metadata.name}"`;
  const all = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const found = all.find(({ name }) => name === container);
  if (found === undefined) return `${named} is not available`;
  const { state, lastState } = found;
  if (previous) {
    return lastState?.terminated?.containerID
      ? undefined
      : `previous terminated container "${container}" in pod "${metadata.name}" not found`;
  }
  if (state?.running !== undefined) return undefined;
  if (state?.terminated !== undefined || lastState?.terminated !== undefined) {
    return state?.terminated?.containerID || lastState?.terminated?.containerID ? undefined : `${named} is terminated`;
  }
  return `${named} is waiting to start${waitsFor(found)}`;
}

function waitsFor({ state }: ContainerStatus): string {
  const reason = state?.waiting?.reason;
  switch (reason) {
    case undefined:
      return " - no logs yet";
    case "ErrImagePull":
      return ": image can't be pulled";
    case "ImagePullBackOff":
      return ": trying and failing to pull image";
    default:
      return `: ${reason}`;
  }
}

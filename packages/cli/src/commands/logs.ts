import { invalid } from "@hooklet/utils";
import type { AgentClient, LogQuery } from "../client/client.js";
import { AgentAnswerError } from "../client/transport.js";
import { type Context, withAgent } from "../context.js";
import { write } from "../io.js";
import { millisecondsOf } from "../print/duration.js";
import { LineWriter } from "./logs/lines.js";
import { type LogTarget, logTargets } from "./logs/targets.js";

export interface LogsOptions {
  readonly namespace?: string;
  readonly container?: string;
  readonly allContainers?: boolean;
  readonly selector?: string;
  readonly prefix?: boolean;
  readonly maxLogRequests?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tail?: string;
  readonly since?: string;
  readonly sinceTime?: string;
}

/** Of each container, where labels choose the pods: as kubectl has it. */
const SELECTED_TAIL = 10;
const MAX_FOLLOWED = 5;

/** `hooklet logs POD [CONTAINER]`: both streams of the container on standard output, as kubectl has it; or those of several at once. */
export function logs(
  context: Context,
  pod: string | undefined,
  container: string | undefined,
  options: LogsOptions,
): Promise<number> {
  return withAgent(context, async (client) => {
    const query = queryOf(options);
    const targets = await logTargets(client, context.io, pod, options.container ?? container, options);
    const [only] = targets;
    if (only !== undefined && targets.length === 1 && options.prefix !== true)
      await copy(context, client, only, query, context.io.stdout);
    else await several(context, client, targets, query, options);
    return 0;
  });
}

function queryOf(options: LogsOptions): Omit<LogQuery, "container"> {
  const tail = options.tail ?? (options.selector === undefined ? "-1" : String(SELECTED_TAIL));
  return {
    follow: options.follow === true,
    previous: options.previous === true,
    timestamps: options.timestamps === true,
    ...(tail !== "-1" && { tail: wholeNumber(tail, "--tail") }),
    ...(options.since !== undefined && { sinceSeconds: Math.ceil(millisecondsOf(options.since, "--since") / 1000) }),
    ...(options.sinceTime !== undefined && { sinceTime: options.sinceTime }),
  };
}

/** As the container wrote it, byte by byte. @param errors where its standard error goes */
export async function copy(
  { io }: Context,
  client: AgentClient,
  { pod, container }: LogTarget,
  query: LogQuery,
  errors: Context["io"]["stdout"],
): Promise<void> {
  for await (const frame of client.logs(pod, { ...query, ...(container !== undefined && { container }) })) {
    if ("error" in frame) throw new AgentAnswerError(frame.error, 500, frame.code);
    if ("stdout" in frame) await write(io.stdout, frame.stdout);
    if ("stderr" in frame) await write(errors, frame.stderr);
  }
}

/** One after the other, or with --follow all at once; whole lines only, so that none is torn by another container's. */
async function several(
  { io }: Context,
  client: AgentClient,
  targets: readonly LogTarget[],
  query: LogQuery,
  options: LogsOptions,
): Promise<void> {
  const most =
    options.maxLogRequests === undefined ? MAX_FOLLOWED : wholeNumber(options.maxLogRequests, "--max-log-requests");
  if (options.follow === true && targets.length > most)
    throw invalid("logs --follow", `at most ${most} containers at once (--max-log-requests)`, targets.length);
  const one = async ({ pod, container = "" }: LogTarget): Promise<void> => {
    const prefix = options.prefix === true ? `[pod/${pod.name}/${container}] ` : "";
    const writers = { stdout: new LineWriter(io.stdout, prefix), stderr: new LineWriter(io.stdout, prefix) };
    for await (const frame of client.logs(pod, { ...query, container })) {
      if ("error" in frame) throw new AgentAnswerError(frame.error, 500, frame.code);
      if ("stdout" in frame) await writers.stdout.take(frame.stdout);
      if ("stderr" in frame) await writers.stderr.take(frame.stderr);
    }
    await writers.stdout.end();
    await writers.stderr.end();
  };
  if (options.follow === true) await Promise.all(targets.map(one));
  else for (const target of targets) await one(target);
}

/** @throws NodeAgentError INVALID naming the option */
export function wholeNumber(text: string, option: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalid(option, "a whole number from 0", text);
  return Number(text);
}

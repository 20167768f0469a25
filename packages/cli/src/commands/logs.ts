import type { PodName } from "@hooklet/core/base";
import { allContainers, type Pod } from "@hooklet/manifest";
import { invalid, NodeAgentError, unsupported } from "@hooklet/utils";
import type { AgentClient, LogQuery } from "../client/agent-client.js";
import { AgentAnswerError } from "../client/transport.js";
import { type Context, withAgent } from "../context.js";
import { type Io, type Output, tell, write } from "../io.js";
import { chosenContainer, defaultContainer, podName } from "../pod-argument.js";
import { millisecondsOf } from "../print/amounts.js";
import { parseSelector } from "../selector.js";
import type { ExecOptions } from "./exec.js";

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

/** `hooklet attach POD`: what the container writes from now on, until it ends. Runtimes keep no input open that could be handed on. */
export function attach(context: Context, pod: string, options: ExecOptions): Promise<number> {
  if (options.stdin === true || options.tty === true) {
    throw unsupported(
      "attach shows what a container writes from now on; it has no -i and no -t: a container's input is closed when it starts",
      `For a shell beside it: hooklet exec -it ${pod} -- sh`,
    );
  }
  return withAgent(context, async (client) => {
    const name = { name: podName(pod), namespace: options.namespace ?? "default" };
    const container = await defaultContainer(client, context.io, name, options.container);
    await tell(context.io, `Attached to pod ${name.name}: what it writes from now on is shown; Ctrl-C leaves.`);
    await copy(
      context,
      client,
      { pod: name, ...(container !== undefined && { container }) },
      { follow: true, tail: 0 },
      context.io.stderr,
    );
    return 0;
  });
}

// Writes whole lines, whatever pieces they come in.

const NEWLINE = 0x0a;
/** A line without an end is handed on at this length. */
const MAX_WAITING_BYTES = 1024 * 1024;

export class LineWriter {
  #rest: Buffer = Buffer.alloc(0);

  constructor(
    private readonly output: Output,
    private readonly prefix: string,
  ) {}

  async take(data: Buffer): Promise<void> {
    const all = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    const end = all.length > MAX_WAITING_BYTES ? all.length : all.lastIndexOf(NEWLINE) + 1;
    this.#rest = Buffer.from(all.subarray(end));
    if (end > 0) await write(this.output, this.#prefixed(all.subarray(0, end)));
  }

  /** What came without a newline at its end gets one. */
  async end(): Promise<void> {
    if (this.#rest.length > 0) await write(this.output, this.#prefixed(Buffer.concat([this.#rest, Buffer.from("\n")])));
    this.#rest = Buffer.alloc(0);
  }

  #prefixed(lines: Buffer): Buffer | string {
    if (this.prefix === "") return lines;
    return lines.toString("utf8").replace(/^(?=.|\n)/gm, (_, at: number) => (at < lines.length ? this.prefix : ""));
  }
}

// Whose log is meant.

export interface LogTarget {
  readonly pod: PodName & { readonly namespace: string };
  readonly container?: string;
}

export interface TargetOptions {
  readonly namespace?: string;
  readonly allContainers?: boolean;
  readonly selector?: string;
}

/** @throws NodeAgentError INVALID when neither or both of a name and labels are given, NOT_FOUND when no pod is meant */
export async function logTargets(
  client: AgentClient,
  io: Io,
  pod: string | undefined,
  container: string | undefined,
  { namespace = "default", allContainers: all = false, selector }: TargetOptions,
): Promise<readonly LogTarget[]> {
  if ((pod === undefined) === (selector === undefined))
    throw invalid("logs", "the name of a pod, or --selector with labels", pod === undefined ? undefined : "both");
  if (all && container !== undefined) throw invalid("logs", "--all-containers or one container, not both", container);
  if (pod !== undefined) {
    const name = { name: podName(pod), namespace };
    if (all) return containersOf(await client.pod(name));
    const chosen = await defaultContainer(client, io, name, container);
    return [{ pod: name, ...(chosen !== undefined && { container: chosen }) }];
  }
  const isMeant = parseSelector(selector ?? "");
  const pods = (await client.pods()).filter(
    ({ metadata }) => metadata.namespace === namespace && isMeant(metadata.labels ?? {}),
  );
  if (pods.length === 0) throw new NodeAgentError("NOT_FOUND", `No resources found in ${namespace} namespace.`);
  return pods.flatMap((one) =>
    all ? containersOf(one) : [{ pod: one.metadata, container: container ?? chosenContainer(one) }],
  );
}

function containersOf(pod: Pod): readonly LogTarget[] {
  return allContainers(pod).map(({ name }) => ({ pod: pod.metadata, container: name }));
}

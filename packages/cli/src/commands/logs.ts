import { invalid } from "@hooklet/core/base";
import { AgentAnswerError } from "../client/transport.js";
import { type Context, withAgent } from "../context.js";
import { write } from "../io.js";
import { defaultContainer, podName } from "../pod-argument.js";
import { millisecondsOf } from "../print/duration.js";

export interface LogsOptions {
  readonly namespace?: string;
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tail?: string;
  readonly since?: string;
  readonly sinceTime?: string;
}

/** `hooklet logs POD [CONTAINER]`: the container's output, its errors on standard error. */
export function logs(
  context: Context,
  pod: string,
  container: string | undefined,
  options: LogsOptions,
): Promise<number> {
  return withAgent(context, async (client) => {
    const { io } = context;
    const name = { name: podName(pod), namespace: options.namespace ?? "default" };
    const chosen = await defaultContainer(client, io, name, options.container ?? container);
    const query = {
      follow: options.follow === true,
      previous: options.previous === true,
      timestamps: options.timestamps === true,
      ...(chosen === undefined ? {} : { container: chosen }),
      ...(options.tail === undefined || options.tail === "-1" ? {} : { tail: wholeNumber(options.tail, "--tail") }),
      ...(options.since === undefined
        ? {}
        : { sinceSeconds: Math.ceil(millisecondsOf(options.since, "--since") / 1000) }),
      ...(options.sinceTime === undefined ? {} : { sinceTime: options.sinceTime }),
    };
    for await (const frame of client.logs(name, query)) {
      if ("error" in frame) throw new AgentAnswerError(frame.error, 500, frame.code);
      if ("stdout" in frame) await write(io.stdout, frame.stdout);
      if ("stderr" in frame) await write(io.stderr, frame.stderr);
    }
    return 0;
  });
}

/** @throws NodeAgentError INVALID naming the option */
export function wholeNumber(text: string, option: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalid(option, "a whole number from 0", text);
  return Number(text);
}

/** The agent's log, on standard error. */

import { inspect } from "node:util";
import { colours, type Io } from "@hooklet/cli/extend";
import { oneLine, setIn } from "@hooklet/cli/print";
import { boundedText, type Clock, errorText, isNodeAgentError } from "@hooklet/utils";
import { type Logger, pino } from "pino";

export type LogFormat = "text" | "json";

/** Characters of an error's own fields beyond which they are cut. */
const FIELDS = 16 * 1024;

/** From this level on lines that repeat are counted. */
const WARN = 40;

/** A level beside pino's: warnings, errors, and changes through the control socket, which belong in every log. */
export const TROUBLES_AND_CHANGES = "troubles and changes";

/** `line` gets each finished line with its newline. The same warning or error within a minute is said once, and then how often. */
export async function createLogger(
  io: Io,
  format: LogFormat,
  level: string,
  line: (text: string) => void,
): Promise<Logger> {
  const repeats = new Repeats(io.clock);
  const isQuiet = level === TROUBLES_AND_CHANGES;
  const options = {
    level: isQuiet ? "info" : level,
    base: null,
    serializers: { err: errorOf },
    hooks: {
      logMethod(this: Logger, args: Parameters<pino.LogFn>, method: pino.LogFn, at: number): void {
        if (at < WARN) {
          if (!isQuiet || isChange(args[0])) method.apply(this, args);
          return;
        }
        const more = repeats.take(keyOf(this, args));
        if (more === undefined) return;
        method.apply(this, more === 0 ? args : withCount(args, more));
      },
    },
  };
  if (format === "json") return pino(options, { write: line });
  const { prettyFactory } = await import("pino-pretty");
  const pretty = prettyFactory({
    colorize: colours(io.stderr, io.env),
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
    messageFormat: (record, key) => oneLine(String(record[key] ?? "")),
    // An event's message says it all.
    ignore: "pid,hostname,event,audit",
  });
  return pino(options, { write: (text: string) => line(pretty(inOneLine(JSON.parse(text)))) });
}

interface LogRecord {
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

/** An error that has nothing more to say than its message stands behind the words. */
function inOneLine(record: LogRecord): LogRecord {
  const { err, ...rest } = record;
  if (err?.message === undefined || err.stack !== undefined) return record;
  return { ...rest, msg: [rest.msg, err.message].filter((words) => words !== undefined).join(": ") };
}

/** One `cp` is three sessions in a pod, which change nothing of the node: they would bury what is on the terminal. */
function isChange(first: unknown): boolean {
  try {
    const { audit } = (first ?? {}) as { readonly audit?: { readonly isSession?: unknown } };
    return audit?.isSession === false;
  } catch {
    return false;
  }
}

/** What makes two lines the same: who says it, its words and its error's. */
function keyOf(log: Logger, args: readonly unknown[]): string {
  const [first] = args;
  const texts = args.filter((word) => typeof word === "string");
  return JSON.stringify([log.bindings(), messageOf(first), ...texts]);
}

/** Plugins throw what they like: what fails when it is asked has no message. */
function messageOf(first: unknown): string {
  try {
    const error = typeof first === "object" && first !== null && "err" in first ? first.err : first;
    return error instanceof Error ? error.message : "";
  } catch {
    return "";
  }
}

function withCount(args: Parameters<pino.LogFn>, more: number): Parameters<pino.LogFn> {
  const at = args.findIndex((word: unknown) => typeof word === "string");
  const copy = [...args] as unknown[];
  if (at >= 0) copy[at] = `${String(copy[at])} (and ${more} more times)`;
  return copy as Parameters<pino.LogFn>;
}

/** What else a plugin or a library hung on its error: as it is while it is short, else as text, cut. */
function boundedFields(fields: object): object {
  const text = inspect(fields, { depth: 4, maxStringLength: FIELDS, maxArrayLength: 100 });
  return text.length <= FIELDS ? fields : { fields: oneLine(boundedText(text)) };
}

/** What containers, probes and plugins say stands in errors as well. The agent's own errors say what to do: where in the code they were made is of no use. */
function errorOf(error: Error): object {
  try {
    const { message, stack, ...rest } = pino.stdSerializers.err(error);
    const said = { ...boundedFields(rest), message: oneLine(boundedText(message)) };
    if (isNodeAgentError(error) && error.cause === undefined) return said;
    return { ...said, stack: setIn(boundedText(stack)) };
  } catch {
    // One of its causes throws when it is read. Logging an error must not fail by it.
    return { type: "Error", message: oneLine(errorText(error)) };
  }
}

// The same trouble said again and again is counted in place of said.

/** Milliseconds in which a line is said once. */
const WINDOW = 60_000;
/** Different lines that are remembered. */
const MAX_KNOWN = 500;

class Repeats {
  readonly #known = new Map<string, { since: number; count: number }>();

  constructor(private readonly clock: Clock) {}

  /** Undefined: it was said a moment ago; else how often it was not said since. */
  take(key: string): number | undefined {
    const now = this.clock.monotonic();
    const known = this.#known.get(key);
    if (known !== undefined && now - known.since < WINDOW) {
      known.count += 1;
      return undefined;
    }
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, { since: now, count: 0 });
    return known?.count ?? 0;
  }
}

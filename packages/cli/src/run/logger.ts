/** The agent's log, on standard error. */
import { type Logger, pino } from "pino";
import { colours, type Io } from "../io.js";
import { oneLine, setIn } from "../print/escape.js";

export type LogFormat = "text" | "json";

/** `line` gets each finished line with its newline. */
export async function createLogger(
  io: Io,
  format: LogFormat,
  level: string,
  line: (text: string) => void,
): Promise<Logger> {
  const options = { level, base: null, serializers: { err: errorOf } };
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
  return pino(options, { write: (text: string) => line(pretty(text)) });
}

/** What containers, probes and plugins say stands in errors as well. */
function errorOf(error: Error): object {
  const { message, stack, ...rest } = pino.stdSerializers.err(error);
  return { ...rest, message: oneLine(message), stack: setIn(stack) };
}

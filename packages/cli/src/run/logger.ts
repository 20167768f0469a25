/** The agent's log, on standard error. */
import { type Logger, pino } from "pino";
import { colours, type Io } from "../io.js";

export type LogFormat = "text" | "json";

/** `line` gets each finished line with its newline. */
export async function createLogger(
  io: Io,
  format: LogFormat,
  level: string,
  line: (text: string) => void,
): Promise<Logger> {
  const options = { level, base: null };
  if (format === "json") return pino(options, { write: line });
  const { prettyFactory } = await import("pino-pretty");
  const pretty = prettyFactory({
    colorize: colours(io.stderr, io.env),
    translateTime: "SYS:HH:MM:ss.l",
    singleLine: true,
    // An event's message says it all.
    ignore: "pid,hostname,event",
  });
  return pino(options, { write: (text: string) => line(pretty(text)) });
}

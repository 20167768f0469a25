/** A line of the agent's log for people. Pure. */
import { escapeControls, oneLine } from "../print/escape.js";
import { styling } from "./view/style.js";

interface LogRecord {
  readonly level: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly msg?: unknown;
  readonly err?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

const LEVELS = [
  [60, "FATAL", "red"],
  [50, "ERROR", "red"],
  [40, "WARN", "yellow"],
  [30, "INFO", "green"],
  [20, "DEBUG", "cyan"],
  [0, "TRACE", "dim"],
] as const;

/** An event's message says it all. */
const LEFT_OUT = new Set(["level", "time", "msg", "err", "event", "audit"]);

/** `record`: as pino writes it. Local time, level, message and the other fields on one line; an error's stack set in below. */
export function prettyLine(record: string, colour: boolean): string {
  const { level, time, msg, err, ...fields } = JSON.parse(record) as LogRecord;
  const style = styling(colour);
  const [, label, format] = LEVELS.find(([from]) => level >= from) ?? (["", String(level), "dim"] as const);
  const told = Object.fromEntries(Object.entries(fields).filter(([name]) => !LEFT_OUT.has(name)));
  const { type: _type, message: _message, stack, ...causes } = err ?? {};
  const more = { ...told, ...causes };
  const json = Object.keys(more).length === 0 ? "" : ` ${style("dim", oneLine(JSON.stringify(more)))}`;
  const trace = typeof stack === "string" ? `    ${escapeControls(stack)}\n` : "";
  const message = style("cyan", oneLine(String(msg ?? "")));
  return `${style("dim", `[${clockTime(time)}]`)} ${style(format, label)}: ${message}${json}\n${trace}`;
}

/** HH:MM:ss.mmm where the agent is. */
function clockTime(time: number): string {
  const at = new Date(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  const milliseconds = String(at.getMilliseconds()).padStart(3, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${milliseconds}`;
}

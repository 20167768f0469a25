/**
 * The policy for what nobody foresaw. It is logged, counted and told by an event; the agent goes on where its state is known to be
 * whole, and is started anew where it is not. Pods run on either way.
 */
import { fileURLToPath } from "node:url";
import { errorText } from "../errors.js";
import { handledPod } from "../lib/pod-scope.js";
import type { Deaths } from "./deaths.js";
import type { Telemetry } from "./parts/telemetry.js";

export type Unforeseen = "uncaughtException" | "unhandledRejection";

/** A plugin and the file that it was loaded from. */
export interface PluginFile {
  readonly name: string;
  readonly file: string;
}

/**
 * Whether the state is whole after it. A promise that nobody waited for has broken off nobody's work, and neither has a socket or a
 * file that tells an error to nobody: the system calls that tell of it begin no work of the agent. What a plugin's own timer threw
 * has broken off that plugin's work alone. Anything else was thrown out of the middle of something. Pure.
 * @param plugin the one whose callback threw, where nothing of the agent was under way
 */
export function isWhole(kind: Unforeseen, error: unknown, plugin?: string): boolean {
  if (kind === "unhandledRejection" || plugin !== undefined) return true;
  const { syscall, code } = (error ?? {}) as NodeJS.ErrnoException;
  return error instanceof Error && typeof syscall === "string" && typeof code === "string";
}

/**
 * The plugin that threw it with nothing below but Node: a timer or a socket of its own called it. A stack that may go on where it was
 * cut, or on which any other file stands, is nobody's. Pure.
 * @param limit frames at which V8 cuts a stack
 */
export function thrownBy(
  error: unknown,
  plugins: readonly PluginFile[],
  limit = Error.stackTraceLimit,
): string | undefined {
  const frames = stackOf(error)
    .split("\n")
    .filter((line) => line.startsWith("    at "));
  if (frames.length >= limit) return undefined;
  const files = new Set(frames.map(fileOf).filter((file) => file !== undefined));
  const [only] = files;
  return files.size === 1 ? plugins.find(({ file }) => file === only)?.name : undefined;
}

/** Others' errors may throw when they are looked at. */
function stackOf(error: unknown): string {
  try {
    const stack = error instanceof Error ? error.stack : undefined;
    return typeof stack === "string" ? stack : "";
  } catch {
    return "";
  }
}

/** Of a frame: `at f (file:///a.mjs:1:2)`, `at /a.js:1:2`; undefined for Node's own files and what V8 does itself. */
function fileOf(frame: string): string | undefined {
  const place = (/\((?<inner>[^()]*)\)$/.exec(frame)?.groups?.inner ?? frame.slice("    at ".length)).replace(
    /^async /,
    "",
  );
  if (place.startsWith("node:") || ["<anonymous>", "native"].includes(place) || /^index \d+$/.test(place)) {
    return undefined;
  }
  const file = place.replace(/(:\d+){1,2}$/, "");
  if (!file.startsWith("file://")) return file;
  try {
    return fileURLToPath(file);
  } catch {
    return file;
  }
}

export function createUnforeseen(
  { log, events, coreMetrics }: Pick<Telemetry, "log" | "events" | "coreMetrics">,
  deaths: Deaths,
  plugins: readonly PluginFile[],
): (kind: Unforeseen, error: unknown, plugin?: string) => Promise<boolean> {
  const counter = coreMetrics.counter({
    name: "hooklet_unforeseen_errors_total",
    help: "Errors that nobody caught, by kind and by what the agent did: went on, or was started anew.",
    labels: ["kind", "outcome"],
  });
  return async (kind, error, plugin = thrownBy(error, plugins)) => {
    const pod = handledPod();
    const whole = isWhole(kind, error, plugin);
    const outcome = whole ? "continued" : "restarted";
    counter.inc({ kind, outcome });
    const whose = plugin === undefined ? "" : ` in a callback of plugin "${plugin}"`;
    const where = `${whose}${pod === undefined ? "" : `, while it handled pod ${pod}`}`;
    const text = `${kind}${where}: ${errorText(error)}. The agent ${whole ? "goes on" : "is started anew"}; pods run on.`;
    log.error({ err: error, ...(pod !== undefined && { podUid: pod }) }, text);
    events.node("Warning", "UnforeseenError", text);
    if (!whole) await deaths.died(pod, error);
    return whole;
  };
}

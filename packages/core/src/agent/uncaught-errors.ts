/**
 * The policy for uncaught errors and unhandled rejections. The error is logged, counted and recorded as an event. The agent
 * continues when its state is known to be consistent and restarts otherwise. Pods keep running.
 */
import { errorText } from "@hooklet/utils";
import { handledPod } from "../pod/handling.js";
import type { CrashLoopGuard } from "./crash-loop-guard.js";
import type { Telemetry } from "./parts/telemetry.js";
import { type PluginCode, thrownBy } from "./plugin-code.js";

export type UncaughtKind = "uncaughtException" | "unhandledRejection";

/**
 * Whether the state is consistent afterwards. A promise without a handler, and a socket or file that emits an unhandled error,
 * interrupted no work of the agent. A callback of a plugin (its timer) interrupted that plugin's work alone. Anything else was
 * thrown in the middle of some work. Pure.
 * @param plugin the plugin whose callback threw, when no code of the agent was on the stack
 */
export function isWhole(kind: UncaughtKind, error: unknown, plugin?: string): boolean {
  if (kind === "unhandledRejection" || plugin !== undefined) return true;
  const { syscall, code } = (error ?? {}) as NodeJS.ErrnoException;
  return error instanceof Error && typeof syscall === "string" && typeof code === "string";
}

export function createUncaughtHandler(
  { log, events, coreMetrics }: Pick<Telemetry, "log" | "events" | "coreMetrics">,
  crashLoopGuard: CrashLoopGuard,
  plugins: readonly PluginCode[],
): (kind: UncaughtKind, error: unknown, plugin?: string) => Promise<boolean> {
  const counter = coreMetrics.counter({
    name: "hooklet_unforeseen_errors_total",
    help: "Uncaught errors, by kind and by what the agent did: continued, or restarted.",
    labels: ["kind", "outcome"],
  });
  return async (kind, error, plugin = thrownBy(error, plugins)) => {
    const pod = handledPod();
    const whole = isWhole(kind, error, plugin);
    const outcome = whole ? "continued" : "restarted";
    counter.inc({ kind, outcome });
    const whose = plugin === undefined ? "" : ` in a callback of plugin "${plugin}"`;
    const where = `${whose}${pod === undefined ? "" : `, while it handled pod ${pod}`}`;
    const text = `${kind}${where}: ${errorText(error)}. The agent ${whole ? "goes on" : "restarts"}; pods run on.`;
    log.error({ err: error }, text);
    events.node("Warning", "UnforeseenError", text);
    if (!whole) await crashLoopGuard.died(pod, error);
    return whole;
  };
}

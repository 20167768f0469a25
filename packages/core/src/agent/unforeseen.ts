/**
 * The policy for what nobody foresaw. It is logged, counted and told by an event; the agent goes on where its state is known to be
 * whole, and is started anew where it is not. Pods run on either way.
 */
import { errorText } from "@hooklet/utils";
import { handledPod } from "../pod/pod-scope.js";
import type { CrashLoopGuard } from "./crash-loop-guard.js";
import type { Telemetry } from "./parts/telemetry.js";
import { type PluginCode, thrownBy } from "./plugin-code.js";

export type Unforeseen = "uncaughtException" | "unhandledRejection";

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

export function createUnforeseen(
  { log, events, coreMetrics }: Pick<Telemetry, "log" | "events" | "coreMetrics">,
  crashLoopGuard: CrashLoopGuard,
  plugins: readonly PluginCode[],
): (kind: Unforeseen, error: unknown, plugin?: string) => Promise<boolean> {
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
    const text = `${kind}${where}: ${errorText(error)}. The agent ${whole ? "goes on" : "is started anew"}; pods run on.`;
    log.error({ err: error }, text);
    events.node("Warning", "UnforeseenError", text);
    if (!whole) await crashLoopGuard.died(pod, error);
    return whole;
  };
}

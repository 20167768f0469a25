/**
 * Ends of the agent by an error: which pod is quarantined, and when the agent restarts.
 * Counts how often in a row handling a pod ended the agent. The third time the pod is quarantined: its containers keep running, and the agent
 * leaves it alone until its manifest changes or it is deleted. The count is one checked file, written before the agent ends. A process that is
 * killed, or that V8 aborts, cannot report a pod and does not count. An agent follows which pod it handles only after a crash: the first crash of a
 * row is of an unknown pod, and counts for each pod that crashes the agent after it.
 */

import { type Clock, errorText } from "@hooklet/utils";
import type { Checkpoint, KeptState } from "../plugin/contract.js";
import { followPods, handledPod } from "../pod/handling.js";
import type { Quarantine } from "../pod/life/pod-registry.js";
import type { Telemetry } from "./parts/telemetry.js";
import { type PluginCode, thrownBy } from "./plugin-code.js";

/** Lives of the agent in a row. */
const SET_ASIDE_AFTER = 3;
/** Milliseconds that the agent must run for a crash over another pod to break the series. hooklet's own. */
const LONG_LIFE = 600_000;
const MAX_TEXT = 300;
/** In the ledger, the crash before the agent followed its pods. No uid of a pod is empty. */
const UNKNOWN = "";

export interface Crash {
  readonly count: number;
  /** What ended the agent last. */
  readonly error: string;
}

type Ledger = Readonly<Record<string, Crash>>;

interface CrashLoopGuardPorts {
  readonly clock: Pick<Clock, "monotonic">;
  readonly checkpoint: Pick<Checkpoint, "keep">;
  report(where: string, error: unknown): void;
}

/**
 * The ledger after the agent ended over a pod, over none, or over an unknown one (""). Pods that end the agent in turns are all found: a crash over another
 * pod breaks a series only after a long run. Pure.
 * @param lived milliseconds that the agent ran
 */
export function afterCrash(ledger: Ledger, uid: string | undefined, error: string, lived: number): Ledger {
  const kept = lived < LONG_LIFE ? ledger : afterRun(ledger);
  if (uid === undefined) return kept;
  if (uid === UNKNOWN) return { ...kept, [UNKNOWN]: { count: 1, error } };
  // The pod's own count survives a long run; the count of the unknown pod does not.
  return { ...kept, [uid]: { count: (ledger[uid] ?? kept[UNKNOWN] ?? { count: 0 }).count + 1, error } };
}

/** The ledger after a life that ended in order. Pure. */
export function afterRun(ledger: Ledger): Ledger {
  return Object.fromEntries(Object.entries(ledger).filter(([, { count }]) => count >= SET_ASIDE_AFTER));
}

export class CrashLoopGuard implements Quarantine {
  #ledger: Ledger = {};
  #follows = false;
  readonly #born: number;
  readonly #kept: KeptState<Ledger>;

  constructor(private readonly ports: CrashLoopGuardPorts) {
    this.#born = ports.clock.monotonic();
    this.#kept = ports.checkpoint.keep<Ledger>({
      value: () => this.#ledger,
      schema: (z) => z.record(z.string(), z.object({ count: z.int(), error: z.string() })),
      failed: (error) => ports.report("crash-loop guard", error),
    });
  }

  async load(): Promise<void> {
    this.#ledger = (await this.#kept.read()) ?? {};
    this.#follows = Object.keys(this.#ledger).length > 0;
    if (this.#follows) followPods();
  }

  /** The agent is about to end over an uncaught error. Resolves once that is on disk, or could not be written. */
  async died(uid: string | undefined, error: unknown): Promise<void> {
    const lived = this.ports.clock.monotonic() - this.#born;
    const whose = uid ?? (this.#follows ? undefined : UNKNOWN);
    await this.#become(afterCrash(this.#ledger, whose, errorText(error).slice(0, MAX_TEXT), lived));
  }

  /** The agent ends in order. */
  async ended(): Promise<void> {
    await this.#become(afterRun(this.#ledger));
  }

  quarantineReason(uid: string): string | undefined {
    const { count = 0, error } = this.#ledger[uid] ?? {};
    if (count < SET_ASIDE_AFTER) return undefined;
    return (
      `Handling the pod ended the agent ${count} times in a row, last with: ${error}. ` +
      "Its containers keep running, but the agent does not manage them. Change its manifest or delete it, and the agent manages it again."
    );
  }

  forget(uid: string): void {
    if (this.#ledger[uid] === undefined) return;
    const { [uid]: _gone, ...others } = this.#ledger;
    void this.#become(others);
  }

  async #become(ledger: Ledger): Promise<void> {
    const changed = JSON.stringify(ledger) !== JSON.stringify(this.#ledger);
    this.#ledger = ledger;
    if (changed) await this.#kept.saved();
  }
}

// Uncaught errors and unhandled rejections. The error is logged, counted and recorded as an event. The agent continues when its state is known to be
// consistent and restarts otherwise. Pods keep running.

export type UncaughtKind = "uncaughtException" | "unhandledRejection";

/**
 * Whether the state is consistent afterwards. A promise without a handler, and a socket or file that emits an unhandled error,
 * interrupted no work of the agent. A callback of a plugin (its timer) interrupted that plugin's work alone. Anything else was
 * thrown in the middle of some work. Pure.
 * @param plugin the plugin whose callback threw, when no code of the agent was on the stack
 */
export function isStateConsistent(kind: UncaughtKind, error: unknown, plugin?: string): boolean {
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
    const isConsistent = isStateConsistent(kind, error, plugin);
    const outcome = isConsistent ? "continued" : "restarted";
    counter.inc({ kind, outcome });
    const whose = plugin === undefined ? "" : ` in a callback of plugin "${plugin}"`;
    const where = `${whose}${pod === undefined ? "" : `, while it handled pod ${pod}`}`;
    const text = `${kind}${where}: ${errorText(error)}. The agent ${isConsistent ? "continues" : "restarts"}; pods keep running.`;
    log.error({ err: error }, text);
    events.node("Warning", "UnforeseenError", text);
    if (!isConsistent) await crashLoopGuard.died(pod, error);
    return isConsistent;
  };
}

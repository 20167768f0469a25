/** What the agent logs as errors during a run: the same again is counted. Pure. */
import type { Failure } from "./outcome.js";

/** Different texts that are kept. */
const MAX_KEPT = 100;

interface Problem {
  readonly t: number;
  /** The strategy or plugin to mend; undefined: what happened is no fault of it. */
  readonly whose: string | undefined;
  count: number;
}

/** A line of the agent's log. */
interface Logged {
  readonly msg: string;
  /** The strategy that threw, or whose answer cannot be used. */
  readonly strategy?: string;
  readonly err?: { readonly code?: unknown; readonly plugin?: unknown };
}

export class Problems {
  readonly #kept = new Map<string, Problem>();

  /** @param t seconds */
  add(t: number, logged: Logged): void {
    const whose = whoseFault(logged);
    // A fault begins with whose it is.
    const text = whose === undefined ? logged.msg : logged.msg.replace(`${whose}: `, "");
    const before = this.#kept.get(text);
    if (before !== undefined) before.count += 1;
    else if (this.#kept.size < MAX_KEPT) this.#kept.set(text, { t, whose, count: 1 });
  }

  /** Of strategies, and of plugins that hooklet does not bring: a tap that threw, hung or returned what cannot be used. */
  faults(): readonly Failure[] {
    return [...this.#kept].flatMap(([difference, { t, whose, count }]) =>
      whose === undefined ? [] : [{ path: whose, t, what: `the agent logged an error${timesText(count)}`, difference }],
    );
  }

  /** The others: a scenario may have asked for them. */
  others(): readonly string[] {
    return [...this.#kept].flatMap(([text, { whose, count }]) =>
      whose === undefined ? [`${text}${timesText(count)}`] : [],
    );
  }
}

function whoseFault({ strategy, err }: Logged): string | undefined {
  if (strategy !== undefined) return `strategy ${strategy}`;
  const isOfTap = typeof err?.code === "string" && err.code.startsWith("TAP_");
  if (!isOfTap || typeof err.plugin !== "string" || err.plugin.startsWith("@hooklet/")) return undefined;
  return `plugin ${err.plugin}`;
}

function timesText(count: number): string {
  return count === 1 ? "" : ` (${count} times)`;
}

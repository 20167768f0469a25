/** The budgets of the four handlers: a slow one never keeps the others waiting. */
import type { Clock } from "@hooklet/core";
import { Budget } from "./budget.js";
import type { ProbeOptions } from "./options.js";
import type { HandlerKind } from "./types.js";

const handlers: readonly HandlerKind[] = ["exec", "http", "tcp", "grpc"];

/** Milliseconds between two reports about the same handler. */
const REPORT_EVERY = 60_000;

export class Budgets {
  readonly #budgets: ReadonlyMap<HandlerKind, Budget>;
  readonly #reported = new Map<HandlerKind, number>();

  /** `report` is called when probes of a handler have to wait, at most once a minute for each. */
  constructor(
    clock: Clock,
    options: Pick<ProbeOptions, "maxConcurrent" | "maxExecPerSecond">,
    report: (text: string) => void,
  ) {
    const make = (handler: HandlerKind): Budget => {
      const limit = options.maxConcurrent[handler];
      const perSecond = handler === "exec" ? options.maxExecPerSecond : 0;
      const onExhausted = (): void => {
        const now = clock.monotonic();
        if (now - (this.#reported.get(handler) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY) return;
        this.#reported.set(handler, now);
        report(this.#text(handler, limit, perSecond));
      };
      return new Budget({ clock, limit, perSecond, onExhausted });
    };
    this.#budgets = new Map(handlers.map((handler) => [handler, make(handler)]));
  }

  /** Calls `begin` when there is room, with what gives the place back; a probe without a handler needs none. */
  take(handler: HandlerKind | "none", begin: (release: () => void) => void): void {
    const budget = handler === "none" ? undefined : this.#budgets.get(handler);
    if (budget === undefined) begin(() => {});
    else budget.take(() => begin(() => budget.release()));
  }

  /** For people; undefined while nobody waits. */
  waiting(): string | undefined {
    const texts = handlers.flatMap((handler) => {
      const budget = this.#budgets.get(handler);
      return budget === undefined || budget.waiting === 0
        ? []
        : [`${budget.waiting} ${handler} probes wait for their turn`];
    });
    return texts.length === 0 ? undefined : texts.join(", ");
  }

  stop(): void {
    for (const budget of this.#budgets.values()) budget.stop();
  }

  #text(handler: HandlerKind, limit: number, perSecond: number): string {
    const rate = perSecond > 0 ? ` and ${perSecond} a second` : "";
    const options = perSecond > 0 ? `maxConcurrent.${handler} or maxExecPerSecond` : `maxConcurrent.${handler}`;
    const waiting = this.#budgets.get(handler)?.waiting ?? 0;
    return `${handler} probes have to wait (${waiting} now): at most ${limit} at a time${rate}; they run late. Raise ${options}, or probe less often.`;
  }
}

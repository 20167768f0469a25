/** How many probes of each handler may be under way at the same time; others wait their turn. A slow handler keeps no other one waiting. */
import type { Clock } from "@hooklet/core";
import type { ProbeOptions } from "./options.js";
import type { HandlerKind } from "./types.js";

const handlers: readonly HandlerKind[] = ["exec", "http", "tcp", "grpc"];

/** Milliseconds between two reports about the same handler. */
const REPORT_EVERY = 60_000;

interface Limit {
  readonly handler: HandlerKind;
  readonly most: number;
  inUse: number;
  waiting: (() => void)[];
  /** Monotonic milliseconds. */
  reportedAt: number;
}

export class ProbeLimits {
  readonly #limits: ReadonlyMap<HandlerKind | "none", Limit>;

  /** `report` is called when probes of a handler have to wait, at most once a minute for each. */
  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    { maxConcurrent }: Pick<ProbeOptions, "maxConcurrent">,
    private readonly report: (text: string) => void,
  ) {
    this.#limits = new Map(
      handlers.map((handler) => [
        handler,
        { handler, most: maxConcurrent[handler], inUse: 0, waiting: [], reportedAt: Number.NEGATIVE_INFINITY },
      ]),
    );
  }

  /** Resolves when a slot is free, with the function that releases it; a probe without a handler needs none. */
  take(handler: HandlerKind | "none"): Promise<() => void> {
    const limit = this.#limits.get(handler);
    if (limit === undefined) return Promise.resolve(() => {});
    const release = (): void => {
      limit.inUse--;
      serve(limit);
    };
    return new Promise((resolve) => {
      limit.waiting.push(() => resolve(release));
      serve(limit);
      if (limit.waiting.length > 0) this.#exhausted(limit);
    });
  }

  /** For messages; undefined while none waits. */
  waiting(): string | undefined {
    const texts = [...this.#limits.values()]
      .filter(({ waiting }) => waiting.length > 0)
      .map(({ handler, waiting }) => `${waiting.length} ${handler} probes wait for their turn`);
    return texts.length === 0 ? undefined : texts.join(", ");
  }

  /** Those that wait are forgotten. */
  stop(): void {
    for (const limit of this.#limits.values()) limit.waiting = [];
  }

  #exhausted(limit: Limit): void {
    const now = this.clock.monotonic();
    if (now - limit.reportedAt < REPORT_EVERY) return;
    limit.reportedAt = now;
    const { handler, most, waiting } = limit;
    this.report(
      `${handler} probes have to wait (${waiting.length} now): at most ${most} at a time; they run late. Raise maxConcurrent.${handler}, or probe less often.`,
    );
  }
}

function serve(limit: Limit): void {
  while (limit.waiting.length > 0 && limit.inUse < limit.most) {
    limit.inUse++;
    limit.waiting.shift()?.();
  }
}

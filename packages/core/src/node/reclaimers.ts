/** Who can free disk space, and how to ask for it. */
import { type Clock, hostUnavailable, invalid, type NodeAgentError, withDeadline } from "@hooklet/utils";
import type { Reclaimer, ReclaimOffer, ReclaimResult } from "../plugin/contract/node.js";

/** Seconds. */
const RECLAIM_DEADLINE = 120;

export class Reclaimers {
  readonly #offers = new Map<string, { readonly plugin: string; readonly offer: ReclaimOffer }>();

  constructor(
    private readonly clock: Clock,
    private readonly stopped: AbortSignal,
  ) {}

  /** An offer of the same plugin and name takes the place of the earlier one. */
  offer(plugin: string, offer: ReclaimOffer): void {
    const { name, frees, order } = offer;
    if (frees !== "image" && frees !== "container") throw invalid("offerReclaim: frees", "image or container", frees);
    if (!Number.isFinite(order)) throw invalid("offerReclaim: order", "a number", order);
    this.#offers.set(`${plugin}\0${name}`, { plugin, offer });
  }

  /** In ascending order; those of the same order as they were offered. @param by the plugin that asks */
  list(by: string): readonly Reclaimer[] {
    return [...this.#offers.values()]
      .sort((a, b) => a.offer.order - b.offer.order)
      .map(({ plugin, offer }) => {
        const { name, frees, order } = offer;
        return { plugin, name, frees, order, reclaim: (signal) => this.#run(plugin, offer, signal, by) };
      });
  }

  /** Resolves or rejects in time, also when the plugin heeds no signal. */
  async #run(plugin: string, offer: ReclaimOffer, signal: AbortSignal, by: string): Promise<ReclaimResult> {
    const late = new AbortController();
    const stop = AbortSignal.any([signal, late.signal, this.stopped]);
    stop.throwIfAborted();
    let leave: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      leave = () => reject(stop.reason);
      stop.addEventListener("abort", leave, { once: true });
    });
    const work = Promise.race([(async () => offer.reclaim(stop, by))(), aborted]);
    try {
      return await withDeadline(this.clock, RECLAIM_DEADLINE * 1000, work, () => timeout(plugin, offer.name));
    } catch (error) {
      late.abort(error);
      throw error;
    } finally {
      if (leave !== undefined) stop.removeEventListener("abort", leave);
    }
  }
}

function timeout(plugin: string, name: string): NodeAgentError {
  const what = `Plugin "${plugin}" did not free ${name}: expected within ${RECLAIM_DEADLINE} s, still busy`;
  return hostUnavailable(what, { plugin });
}

/** The last decisions, for `explain`: a bounded ring. */
import { type Clock, Listeners } from "@hooklet/utils";
import type { Decision, DecisionRecorder } from "../plugin/contract.js";

export class DecisionLog {
  readonly #ring: Decision[] = [];
  readonly #listeners: Listeners<[Decision]>;
  #start = 0;

  constructor(
    private readonly clock: Clock,
    private readonly capacity: number,
    report: (where: string, error: unknown) => void,
  ) {
    this.#listeners = new Listeners((error) => report("listener of decisions", error));
  }

  /** Called with every decision from now on. Returns what ends it. */
  watch(listener: (decision: Decision) => void): () => void {
    return this.#listeners.add(listener);
  }

  forPlugin(plugin: string): DecisionRecorder {
    return { record: (decision) => this.#record({ at: this.clock.now(), plugin, ...decision }) };
  }

  #record(decision: Decision): void {
    if (this.#ring.length < this.capacity) this.#ring.push(decision);
    else {
      this.#ring[this.#start] = decision;
      this.#start = (this.#start + 1) % this.capacity;
    }
    this.#listeners.tell(decision);
  }

  /** Oldest first. */
  list(matches: (decision: Decision) => boolean = () => true): readonly Decision[] {
    return [...this.#ring.slice(this.#start), ...this.#ring.slice(0, this.#start)].filter(matches);
  }
}

/** The last decisions, for `explain`: a bounded ring. */
import type { Clock } from "../clock.js";
import type { Decision, DecisionRecorder } from "../plugin/contract.js";

export class DecisionLog {
  readonly #ring: Decision[] = [];
  #start = 0;

  constructor(
    private readonly clock: Clock,
    private readonly capacity: number,
    private readonly onRecord: (decision: Decision) => void = () => {},
  ) {}

  forPlugin(plugin: string): DecisionRecorder {
    return { record: (decision) => this.#record({ at: this.clock.now(), plugin, ...decision }) };
  }

  #record(decision: Decision): void {
    if (this.#ring.length < this.capacity) this.#ring.push(decision);
    else {
      this.#ring[this.#start] = decision;
      this.#start = (this.#start + 1) % this.capacity;
    }
    this.onRecord(decision);
  }

  /** Oldest first. */
  list(matches: (decision: Decision) => boolean = () => true): readonly Decision[] {
    return [...this.#ring.slice(this.#start), ...this.#ring.slice(0, this.#start)].filter(matches);
  }
}

/** Who wants to hear of every change of a pod. Made before the pods and before those who listen: neither needs the other. */
import type { Pod } from "@hooklet/manifest";

export interface PodSubscriber {
  changed?(pod: Pod): void;
  /** The pod is stopped for good; what comes back is awaited before its uid and name are free. `source`: who wanted it. */
  ended?(pod: Pod, source: string | undefined): Promise<void> | undefined;
  /** The pod is gone for good. */
  gone?(pod: Pod): void;
  /** Resolves once nothing of what it was told is on its way any more; undefined: nothing is. */
  settled?(): Promise<void> | undefined;
}

export class PodSubscribers implements Required<PodSubscriber> {
  readonly #all: PodSubscriber[] = [];

  constructor(private readonly report: (where: string, error: unknown) => void) {}

  add(subscriber: PodSubscriber): void {
    this.#all.push(subscriber);
  }

  changed(pod: Pod): void {
    this.#tell((subscriber) => subscriber.changed?.(pod));
  }

  ended(pod: Pod, source: string | undefined): Promise<void> | undefined {
    return this.#waits((subscriber) => subscriber.ended?.(pod, source));
  }

  gone(pod: Pod): void {
    this.#tell((subscriber) => subscriber.gone?.(pod));
  }

  settled(): Promise<void> | undefined {
    return this.#waits((subscriber) => subscriber.settled?.());
  }

  #waits(ask: (subscriber: PodSubscriber) => Promise<void> | undefined): Promise<void> | undefined {
    const waits: Promise<void>[] = [];
    this.#tell((subscriber) => {
      const wait = ask(subscriber);
      if (wait !== undefined) waits.push(wait);
    });
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  /** One that throws keeps no other from hearing. */
  #tell(tell: (subscriber: PodSubscriber) => void): void {
    for (const subscriber of this.#all) {
      try {
        tell(subscriber);
      } catch (error) {
        this.report("change of a pod", error);
      }
    }
  }
}

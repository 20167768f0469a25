/** One open source of events for all listeners; open while there are any. */
import { errorText } from "@hooklet/core";
import type { RuntimeEvent } from "@hooklet/core/host";
import type { EventListener, EventPorts, EventSource } from "./source.js";

interface Listener {
  readonly event: (event: RuntimeEvent) => void;
  readonly gap?: () => void;
}

export class EventHub {
  readonly #listeners = new Set<Listener>();
  #stop: (() => void) | undefined;

  constructor(
    private readonly source: EventSource,
    private readonly ports: EventPorts,
    private readonly report: Pick<EventListener, "away" | "back" | "problem">,
  ) {}

  subscribe(event: (event: RuntimeEvent) => void, gap?: () => void): () => void {
    const listener = { event, ...(gap === undefined ? {} : { gap }) };
    this.#listeners.add(listener);
    this.#stop ??= this.#open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #open(): () => void {
    return this.source(this.ports, {
      event: (event) => this.#notify((listener) => listener.event(event)),
      gap: () => this.#notify((listener) => listener.gap?.()),
      ...this.report,
    });
  }

  #notify(how: (listener: Listener) => void): void {
    for (const listener of this.#listeners) {
      try {
        how(listener);
      } catch (error) {
        this.report.problem(new Error(`a listener failed: ${errorText(error)}`));
      }
    }
  }
}

/** One open source of events for all listeners; open while there are any. */

import { type Clock, errorText } from "@hooklet/core";
import type { RuntimeEvent } from "@hooklet/core/host";
import type { Calls } from "../calls.js";
import type { GrpcClient } from "../grpc-client.js";
import type { Known } from "../known.js";

// What every source of runtime events is: something that is opened, and says when it may have missed some.

export interface EventPorts {
  readonly clock: Clock;
  readonly client: GrpcClient;
  readonly calls: Calls;
  readonly known: Known;
}

export interface EventListener {
  event(event: RuntimeEvent): void;
  /** Events may have been missed. */
  gap(): void;
  /** The runtime does not answer; called once until it does again, which `back` says. */
  away(error: unknown): void;
  back(): void;
  /** Something failed that a relist repairs: `gap` requests it. */
  problem(error: unknown): void;
}

/** Opens the source; returns what closes it. */
export type EventSource = (ports: EventPorts, listener: EventListener) => () => void;

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

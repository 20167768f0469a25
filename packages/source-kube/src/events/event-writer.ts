/** Writes events to the API in order; never blocks callers, and drops events instead of queueing without bound. */
import type { Clock } from "@hooklet/core";
import type { Event } from "kubernetes-types/core/v1.js";
import { isApiError, isPassing, UNREACHABLE } from "../client/api-error.js";
import type { KubeClient } from "../client/client.js";
import { paths } from "../client/paths.js";
import { EventCorrelator, type Telling } from "./correlator.js";

export interface EventWriterPorts {
  readonly client: Pick<KubeClient, "create" | "patch" | "pause">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called for each event that does not reach the API. */
  dropped(why: "queue" | "spam" | "refused" | "tries", error?: unknown): void;
}

const QUEUE = 1_000;
const TRIES = 12;
/** Milliseconds between two tries. */
const RETRY = 10_000;

export class EventWriter {
  /** By key, in the order of writing: a repeat of a queued event replaces it with the newer count, at the end. */
  readonly #waiting = new Map<string, Telling>();
  readonly #correlator = new EventCorrelator();
  #running = false;

  constructor(private readonly ports: EventWriterPorts) {}

  /** Correlated now, when it happened, even if it is written later. */
  add(event: Event): void {
    const { clock, dropped } = this.ports;
    const telling = this.#correlator.take(event, clock.monotonic());
    if (telling === undefined) {
      dropped("spam");
      return;
    }
    const { key } = telling;
    const before = this.#waiting.get(key);
    if (before === undefined && this.#waiting.size >= QUEUE) {
      this.#lost(telling);
      dropped("queue");
      return;
    }
    this.#waiting.delete(key);
    this.#waiting.set(key, { ...telling, do: before?.do ?? telling.do });
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    for (;;) {
      const [telling] = this.#waiting.values();
      if (telling === undefined || this.ports.signal.aborted) {
        // In the same turn: an event added from now on starts a new run.
        this.#running = false;
        return;
      }
      this.#waiting.delete(telling.key);
      await this.#tell(telling);
    }
  }

  /** The correlator counts on what the API has, although this event is lost. */
  #lost({ do: what, key }: Telling): void {
    if (what === "create") this.#correlator.forget(key);
  }

  async #tell(telling: Telling): Promise<void> {
    const { client, signal, dropped } = this.ports;
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        await this.#send(telling);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const isRefused = !isPassing(error);
        // A server that is away is waited for, in the order of the events; the queue's bound holds.
        if (isAway(error)) tries -= 1;
        if (isRefused || tries >= TRIES) {
          this.#lost(telling);
          return dropped(isRefused ? "refused" : "tries", error);
        }
        await client.pause(RETRY, signal);
      }
    }
  }

  async #send({ do: what, event }: Telling): Promise<void> {
    const { client, signal } = this.ports;
    const options = { signal, answer: "metadata" } as const;
    const { namespace = "default", name = "" } = event.metadata;
    if (what === "update") {
      const { count, lastTimestamp, message } = event;
      try {
        await client.patch(paths.event({ namespace, name }), { count, lastTimestamp, message }, options);
        return;
      } catch (error) {
        if (!isApiError(error, 404)) throw error;
      }
    }
    try {
      await client.create(paths.events(namespace), event, options);
    } catch (error) {
      // An earlier try was taken and its answer lost.
      if (!isApiError(error, 409)) throw error;
    }
  }
}

/** Not: an answer that did not come in time, or cannot be read. That may be this one event's, which others wait behind. */
function isAway(error: unknown): boolean {
  return isApiError(error, UNREACHABLE) && (error.reason === "Unreachable" || error.reason === "NoCredentials");
}

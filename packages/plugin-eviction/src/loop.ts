/** Schedules rounds: one at a time, again at once after an eviction when the pods have released their resources, otherwise on request. */
import { type Clock, errorText, type Pod } from "@hooklet/core";
import type { EvictionManager } from "./eviction-manager.js";
import { waitForCleanup } from "./pending.js";

export interface LoopPorts {
  readonly clock: Clock;
  /** Awaited before the first round of a run. A rejection is a round that failed. */
  ready(): Promise<void>;
  /** What it held has been given back. */
  isClean(pod: Pod): boolean;
  /** @param error of a round that failed; the next one tries again */
  note(text: string, error?: unknown): void;
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal;
}

export class EvictionLoop {
  #running: Promise<void> | undefined;
  /** The last round's error; undefined when it succeeded. */
  #failure: string | undefined;

  constructor(
    private readonly manager: EvictionManager,
    private readonly ports: LoopPorts,
  ) {}

  get failure(): string | undefined {
    return this.#failure;
  }

  /** Runs rounds until one evicts no pod. Callers that come meanwhile share these rounds. Never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#rounds().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #rounds(): Promise<void> {
    const { clock, signal } = this.ports;
    try {
      await this.ports.ready();
      while (!signal.aborted) {
        const evicted = await this.manager.synchronize();
        this.#failure = undefined;
        if (evicted.length === 0) return;
        const clean = await waitForCleanup(clock, evicted, (pod) => this.ports.isClean(pod), signal);
        if (!clean) this.ports.note("timed out waiting for pods to be cleaned up");
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#failure = errorText(error);
      this.ports.note("eviction manager: failed to synchronize", error);
    }
  }
}

/** Seconds between two rounds without an eviction: the kubelet's monitoring interval. */
export const MONITORING_INTERVAL_SECONDS = 10;

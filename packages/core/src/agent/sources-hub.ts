/** Joins the sources: keeps the newest whole set of each, hands it to the pods, and turns faults into events. */

import type { Pod } from "@hooklet/manifest";
import type { Logger } from "pino";
import type { Clock } from "../clock.js";
import { withDeadline } from "../clock.js";
import type { EventLog } from "../events/recorder.js";
import type { PodManager } from "../pod/life/manager.js";
import type { PodSource, SourceFault, SourceSink } from "../sources/port.js";

/** How long the agent waits for slow sources before it goes on with the others, milliseconds. */
const FIRST_READ = 2_000;

export interface HubPorts {
  readonly sources: readonly PodSource[];
  readonly manager: PodManager;
  readonly events: EventLog;
  readonly log: Logger;
  readonly clock: Clock;
  report(where: string, error: unknown): void;
}

export class SourcesHub {
  readonly #sets = new Map<string, readonly Pod[]>();
  readonly #faults = new Map<string, SourceFault>();
  #open = false;
  #orphansStopped = false;
  #applied: Promise<void> = Promise.resolve();

  constructor(private readonly ports: HubPorts) {}

  /** Reads all sources; resolves with the pods that were found in time. Nothing is started yet. */
  async read(): Promise<readonly Pod[]> {
    const started = this.ports.sources.map((source) => source.start(this.#sink(source)));
    for (const [index, start] of started.entries()) {
      const { name } = this.ports.sources[index] as PodSource;
      start.catch((error: unknown) => this.ports.report(`source ${name}`, error));
      await withDeadline(this.ports.clock, FIRST_READ, start, () => new Error("slow")).catch(() => undefined);
    }
    return [...this.#sets.values()].flat();
  }

  /** Hands over what was read, and from now on whatever comes. */
  async open(): Promise<void> {
    this.#open = true;
    this.#apply([...this.#sets]);
    await this.#applied;
  }

  /** Names of sources that have not spoken yet. */
  silent(): readonly string[] {
    return this.ports.sources.map(({ name }) => name).filter((name) => !this.#sets.has(name));
  }

  faults(): readonly SourceFault[] {
    return [...this.#faults.values()];
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.ports.sources.map((source) => source.stop()));
  }

  #sink(source: PodSource): SourceSink {
    const { events, log } = this.ports;
    return {
      desired: (pods) => {
        this.#sets.set(source.name, pods);
        if (this.#open) this.#apply([[source.name, pods]]);
      },
      fault: (fault) => {
        const known = this.#faults.get(fault.where);
        this.#faults.set(fault.where, fault);
        if (known?.message === fault.message) return;
        log.error({ where: fault.where }, fault.message);
        events.node("Warning", "InvalidManifest", `${fault.where}: ${fault.message}`);
      },
      mended: (where) => {
        if (this.#faults.delete(where)) log.info({ where }, "mended");
      },
    };
  }

  #apply(sets: readonly (readonly [source: string, pods: readonly Pod[]])[]): void {
    const names = sets.map(([name]) => name).join(", ");
    this.#applied = this.#applied
      .then(() => this.ports.manager.setDesired(sets))
      .then(() => this.#stopOrphans())
      .catch((error: unknown) => this.ports.report(`pods of source ${names}`, error));
  }

  /** What no source wants is stopped only after every source has spoken. */
  async #stopOrphans(): Promise<void> {
    if (this.#orphansStopped || this.silent().length > 0) return;
    this.#orphansStopped = true;
    await this.ports.manager.stopOrphans();
  }
}

/** Joins the sources: hands what each wants to the pods, and turns faults into events. Keyed by the source, not by its mark. */

import type { Pod } from "@hooklet/manifest";
import type { Logger } from "pino";
import type { Clock } from "../clock.js";
import { withDeadline } from "../clock.js";
import { tookTooLong } from "../errors.js";
import type { EventLog } from "../events/recorder.js";
import type { PodManager } from "../pod/life/manager.js";
import type { PodSource, ProvidedKind, SourceFault, SourceSink } from "../sources/port.js";
import { SourceIntake } from "./source-intake.js";

/** How long the agent waits for slow sources before it goes on with the others, milliseconds. */
const FIRST_READ = 2_000;
/** How long a source may take to stop, milliseconds. */
const STOP = 10_000;

export interface HubPorts {
  readonly sources: readonly PodSource[];
  readonly manager: Pick<PodManager, "setDesired" | "change" | "stopOrphans">;
  readonly events: Pick<EventLog, "node">;
  readonly log: Logger;
  readonly clock: Clock;
  /** What plugins provide, for those who read manifests. */
  readonly provided: ReadonlySet<ProvidedKind>;
  /** The statuses that a source has not taken are told again. */
  tellAgain(source: string): void;
  report(where: string, error: unknown): void;
}

export class SourcesHub {
  /** Source -> its pods, while nothing is started yet. */
  readonly #intakes = new Map<string, SourceIntake>();
  /** Source and place -> its fault. */
  readonly #faults = new Map<string, SourceFault>();
  #open = false;
  #stopped = false;
  #orphansStopped = false;
  #applied: Promise<void> = Promise.resolve();

  constructor(private readonly ports: HubPorts) {
    for (const { name } of ports.sources) this.#intakes.set(name, new SourceIntake());
  }

  /** Reads all sources; resolves with the pods that were found in time. Nothing is started yet. */
  async read(): Promise<readonly Pod[]> {
    const { clock, sources, report } = this.ports;
    const late = (): Error => new Error("slow");
    await Promise.all(
      sources.map((source) => {
        const started = (async () => source.start(this.#sink(source)))();
        started.catch((error: unknown) => report(`source ${source.name}`, error));
        return withDeadline(clock, FIRST_READ, started, late).catch(() => undefined);
      }),
    );
    return [...this.#intakes.values()].flatMap((intake) => intake.pods());
  }

  /** Hands over what was read, and from now on whatever comes. */
  async open(): Promise<void> {
    this.#open = true;
    const sets = [...this.#intakes].flatMap(([name, intake]) =>
      intake.hasSpoken ? [[name, intake.release()] as const] : [],
    );
    this.#apply(sets.map(([name]) => name).join(", "), () => this.ports.manager.setDesired(sets));
    await this.#applied;
  }

  /** Names of sources that have not spoken yet. */
  silent(): readonly string[] {
    return [...this.#intakes].flatMap(([name, { hasSpoken }]) => (hasSpoken ? [] : name));
  }

  faults(): readonly SourceFault[] {
    return [...this.#faults.values()];
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const { clock, sources, report } = this.ports;
    await Promise.all(
      sources.map((source) => {
        const late = (): Error => tookTooLong("SOURCE_TIMEOUT", `Source ${source.name}`, "did not stop", STOP / 1000);
        const stopped = withDeadline(clock, STOP, (async () => source.stop())(), late);
        return stopped.catch((error: unknown) => report(`stop of source ${source.name}`, error));
      }),
    );
  }

  #sink({ name }: PodSource): SourceSink {
    const intake = this.#intakes.get(name) as SourceIntake;
    const { manager, events, log, provided } = this.ports;
    /** A source may be anybody's: what is wrong with what it says is its fault, not the agent's. */
    const taking = (what: string, take: () => void): void => {
      if (this.#stopped) return;
      try {
        take();
      } catch (error) {
        this.ports.report(`${what} of source ${name}`, error);
      }
    };
    return {
      provided,
      desired: (pods) =>
        taking("pods", () => {
          const set = intake.replace(pods);
          if (this.#open) this.#apply(name, () => manager.setDesired([[name, set]]));
        }),
      changed: (changes) =>
        taking("changes", () => {
          const checked = intake.change(changes);
          if (this.#open && checked !== undefined) this.#apply(name, () => manager.change(name, checked));
        }),
      fault: (fault) => {
        const key = `${name}\n${fault.where}`;
        const known = this.#faults.get(key);
        this.#faults.set(key, fault);
        if (known?.message === fault.message) return;
        log.error({ where: fault.where }, fault.message);
        events.node("Warning", "InvalidManifest", `${fault.where}: ${fault.message}`);
      },
      mended: (where) => {
        if (this.#faults.delete(`${name}\n${where}`)) log.info({ where }, "mended");
      },
      reachable: () => taking("statuses", () => this.ports.tellAgain(name)),
    };
  }

  #apply(sources: string, change: () => Promise<void>): void {
    this.#applied = this.#applied
      .then(change)
      .then(() => this.#stopOrphans())
      .catch((error: unknown) => this.ports.report(`pods of source ${sources}`, error));
  }

  /** What no source wants is stopped only after every source has spoken. */
  async #stopOrphans(): Promise<void> {
    if (this.#orphansStopped || this.silent().length > 0) return;
    this.#orphansStopped = true;
    await this.ports.manager.stopOrphans();
  }
}

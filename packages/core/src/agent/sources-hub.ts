/** Joins the sources: hands what each wants to the pods, and turns faults into events. Keyed by the source, not by its mark. */

import type { Pod } from "@hooklet/manifest";
import { type Clock, tookTooLong, withDeadline } from "@hooklet/utils";
import type { Logger } from "pino";
import type { EventLog } from "../events/recorder.js";
import type { Rejection } from "../hooks/verdict.js";
import type { PodManager } from "../pod/life/pod-manager.js";
import type { PodSource, ProvidedKind, SourceFault, SourceSink } from "../sources/port.js";
import { SourceIntake } from "./source-intake.js";

/** Milliseconds that the agent waits for slow sources before it continues with the others. */
const FIRST_READ = 2_000;
/** How long a source may take to stop, milliseconds. */
const STOP = 10_000;
/** Rejections remembered to avoid repeated events; beyond that some are reported twice. */
const MAX_REFUSALS = 10_000;

export interface HubPorts {
  readonly sources: readonly PodSource[];
  readonly manager: Pick<PodManager, "setDesired" | "change" | "stopOrphans" | "ownerOf" | "watch">;
  readonly events: Pick<EventLog, "node">;
  readonly log: Logger;
  readonly clock: Clock;
  /** What plugins provide, for the parser of manifests. */
  readonly provided: ReadonlySet<ProvidedKind>;
  /** Rejects a pod that was not accepted: its source gets the status, as for pods that the node rejects. */
  rejected(source: string, pod: Pod, why: Rejection): void;
  /** Sends the statuses again that a source has not accepted. */
  tellAgain(source: string): void;
  report(where: string, error: unknown): void;
}

export class SourcesHub {
  /** Source -> its pods, until the agent starts pods. */
  readonly #intakes = new Map<string, SourceIntake>();
  /** Source and place -> its fault. */
  readonly #faults = new Map<string, SourceFault>();
  /** Source and uid -> the reported rejection. */
  readonly #refusals = new Map<string, string>();
  #open = false;
  #stopped = false;
  /** Sources whose first whole set has been handed over. */
  readonly #handedOver = new Set<string>();
  #orphansStopped = false;
  #unwatch: (() => void) | undefined;
  #applied: Promise<void> = Promise.resolve();

  constructor(private readonly ports: HubPorts) {
    for (const { name } of ports.sources) {
      const refused = (pod: Pod, why: Rejection): void => this.#refused(name, pod, why);
      const full = (message: string): void => this.#fault(name, { where: `source ${name}`, message });
      this.#intakes.set(name, new SourceIntake({ refused, full, owner: (uid) => this.#otherOwner(name, uid) }));
    }
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

  /** Hands over what was read, and every later change. */
  async open(): Promise<void> {
    this.#open = true;
    this.#unwatch = this.ports.manager.watch((_uid, pod) => {
      if (pod === undefined) this.#retry();
    });
    const sets = [...this.#intakes].flatMap(([name, intake]) =>
      intake.hasSpoken ? [[name, intake.release()] as const] : [],
    );
    const names = sets.map(([name]) => name);
    this.#apply(names, () => this.ports.manager.setDesired(sets));
    await this.#applied;
  }

  /** Names of sources that have not spoken yet. */
  silent(): readonly string[] {
    return [...this.#intakes].flatMap(([name, { hasSpoken }]) => (hasSpoken ? [] : name));
  }

  /** The pods of every source are known: before that, one that is not known may only not have been handed over. */
  isReady(): boolean {
    return this.ports.sources.every(({ name }) => this.#handedOver.has(name));
  }

  faults(): readonly SourceFault[] {
    return [...this.#faults.values()];
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unwatch?.();
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
    const { manager, log, provided } = this.ports;
    /** An error in the pods of a source is the source's fault and must not stop the agent. */
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
          if (this.#open) this.#apply([name], () => manager.setDesired([[name, set]]));
        }),
      changed: (changes) =>
        taking("changes", () => {
          const checked = intake.change(changes);
          if (this.#open && checked !== undefined) this.#apply([name], () => manager.change(name, checked));
        }),
      fault: (fault) => this.#fault(name, fault),
      mended: (where) => {
        if (this.#faults.delete(`${name}\n${where}`)) log.info({ where }, "fault resolved");
      },
      reachable: () => taking("statuses", () => this.ports.tellAgain(name)),
    };
  }

  #fault(source: string, fault: SourceFault): void {
    const { events, log } = this.ports;
    const key = `${source}\n${fault.where}`;
    const known = this.#faults.get(key);
    this.#faults.set(key, fault);
    if (known?.message === fault.message) return;
    log.error({ where: fault.where }, fault.message);
    events.node("Warning", "InvalidManifest", `${fault.where}: ${fault.message}`);
  }

  #otherOwner(source: string, uid: string): string | undefined {
    const known = this.ports.manager.ownerOf(uid);
    if (known !== undefined) return known === source ? undefined : known;
    for (const [name, intake] of this.#intakes) if (name !== source && intake.has(uid)) return name;
    return undefined;
  }

  /** A pod that was refused for the uid of another source's pod is taken once that one is gone. */
  #retry(): void {
    if (this.#stopped) return;
    for (const [name, intake] of this.#intakes) {
      const set = intake.freed();
      const changes = set.length === 0 ? undefined : intake.change({ set });
      if (changes === undefined) continue;
      for (const { metadata } of set) this.#refusals.delete(`${name}\n${metadata.uid}`);
      this.#apply([name], () => this.ports.manager.change(name, changes));
    }
  }

  /** Reports one event per pod and reason, however often the source delivers the pod; its status is sent each time. */
  #refused(source: string, pod: Pod, why: Rejection): void {
    const { events, log, rejected } = this.ports;
    const text = `hooklet refuses a pod of source ${source}: ${why.message}`;
    const key = `${source}\n${pod.metadata.uid}`;
    if (this.#refusals.get(key) !== text) {
      if (this.#refusals.size >= MAX_REFUSALS) this.#refusals.clear();
      this.#refusals.set(key, text);
      log.error({ source }, text);
      events.node("Warning", why.reason, text);
    }
    rejected(source, pod, why);
  }

  #apply(sources: readonly string[], change: () => Promise<void>): void {
    this.#applied = this.#applied
      .then(change)
      .then(() => {
        for (const name of sources) this.#handedOver.add(name);
        return this.#stopOrphans();
      })
      .then(() => this.#retry())
      .catch((error: unknown) => this.ports.report(`pods of source ${sources.join(", ")}`, error));
  }

  /** What no source wants is stopped only after every source has spoken. */
  async #stopOrphans(): Promise<void> {
    if (this.#orphansStopped || !this.isReady()) return;
    this.#orphansStopped = true;
    await this.ports.manager.stopOrphans();
  }
}

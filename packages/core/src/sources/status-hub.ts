/**
 * The way back: statuses of pods to the sources that want them. Of each pod a source sees only the latest, one call at a
 * time, many pods side by side; what fails is tried again. Nothing that a source does wrong reaches the pods.
 */
import type { Pod } from "@hooklet/manifest";
import type { Clock } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";
import type { PodSource } from "./port.js";
import { StatusSink } from "./status-sink.js";

export interface StatusHubPorts {
  readonly clock: Clock;
  report(where: string, error: unknown): void;
}

export class StatusHub {
  readonly #sources = new Map<string, PodSource>();
  readonly #sinks = new Map<string, StatusSink>();

  constructor(private readonly ports: StatusHubPorts) {}

  /** Adds a source, which gets all pods from now on. The hub of sources has checked that its name is unique. */
  add(source: PodSource): void {
    this.#sources.set(source.name, source);
    if (source.status !== undefined) this.#sinks.set(source.name, new StatusSink(source, this.ports));
  }

  changed(pod: Pod): void {
    for (const sink of this.#sinks.values()) sink.tell({ pod, final: false });
  }

  /**
   * The pod has been stopped for good. Resolves once the source that wanted it has taken its last status, or was stopped;
   * the others get it in their own time. Undefined when there is nothing to wait for.
   */
  final(pod: Pod, owner: string | undefined): Promise<void> | undefined {
    let taken: Promise<void> | undefined;
    for (const [name, sink] of this.#sinks) {
      const last = sink.last(pod);
      if (name === owner) taken = last;
    }
    return taken;
  }

  /** Reports a pod that the agent did not take to its source only. */
  rejected(source: string, pod: Pod): void {
    this.#sinks.get(source)?.tell({ pod, final: true });
  }

  /** Resolves once no status is on its way to any source; undefined: none is. */
  settled(): Promise<void> | undefined {
    const waits = [...this.#sinks.values()].flatMap((sink) => sink.settled() ?? []);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  /** The source can tell its statuses again. */
  again(source: string): void {
    this.#sinks.get(source)?.again();
  }

  removed(uid: string): void {
    this.#each("removed", (source) => source.removed?.(uid));
  }

  event(event: Event): void {
    this.#each("event", (source) => source.event?.(event));
  }

  /** Who waits for a source that is stopped waits no longer. */
  stop(): void {
    for (const sink of this.#sinks.values()) sink.stop();
  }

  #each(what: string, tell: (source: PodSource) => unknown): void {
    for (const source of this.#sources.values()) {
      const failed = (error: unknown): void => this.ports.report(`${what} of source ${source.name}`, error);
      try {
        Promise.resolve(tell(source)).catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  }
}

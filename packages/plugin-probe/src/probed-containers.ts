/** The plugin's state of each container with probes, and its reports to core. */
import type { PodsPort } from "@hooklet/core";
import type { ContainerRef } from "@hooklet/core/subsystem";
import type { ProbedPods } from "./probed-pods.js";
import type { ResultCache } from "./results.js";
import type { ProbeKind, Result } from "./types.js";

export interface ContainerRecord {
  readonly ref: ContainerRef;
  /** The newest attempt's id; "" before the first. */
  containerId: string;
  /** The status that a container had when the agent started, if it ran already. */
  remembered: { readonly ready: boolean; readonly started: boolean } | undefined;
  /** The last value reported to core. */
  ready: boolean;
  started: boolean;
}

export interface ContainerPorts {
  readonly pods: Pick<PodsPort, "setContainerReady" | "setContainerStarted">;
  readonly results: Readonly<Record<ProbeKind, ResultCache>>;
  readonly workers: Pick<ProbedPods<unknown>, "get">;
  /** Called when something that `memoryOf` keeps has changed. */
  changed(): void;
}

export class Containers {
  /** Pod uid -> container -> record. */
  readonly #records = new Map<string, Map<string, ContainerRecord>>();

  constructor(private readonly ports: ContainerPorts) {}

  get({ podUid, container }: ContainerRef): ContainerRecord | undefined {
    return this.#records.get(podUid)?.get(container);
  }

  /** The record, changed by `known`; a new one when there is none. */
  put(ref: ContainerRef, known: Partial<Omit<ContainerRecord, "ref">>): ContainerRecord {
    const own = this.#records.get(ref.podUid) ?? new Map<string, ContainerRecord>();
    const before = own.get(ref.container);
    const record = Object.assign(
      before ?? { ref, containerId: "", remembered: undefined, ready: true, started: true },
      known,
    );
    own.set(ref.container, record);
    this.#records.set(ref.podUid, own);
    this.ports.changed();
    return record;
  }

  remove(podUid: string): void {
    this.#records.delete(podUid);
  }

  *all(): Iterable<ContainerRecord> {
    for (const own of this.#records.values()) yield* own.values();
  }

  /** Tells the core what the results say now, where that changed. True: the readiness worker is to make a step. */
  refresh(record: ContainerRecord): boolean {
    const { ref } = record;
    const status = this.#status(record);
    if (status.started !== record.started || status.ready !== record.ready) this.ports.changed();
    if (status.started !== record.started) {
      record.started = status.started;
      this.ports.pods.setContainerStarted(ref, status.started);
    }
    if (status.ready !== record.ready) {
      record.ready = status.ready;
      this.ports.pods.setContainerReady(ref, status.ready);
    }
    return status.triggerReadiness;
  }

  #status(record: ContainerRecord): ProbedStatus {
    const { ref, containerId, remembered, ready } = record;
    const { results, workers } = this.ports;
    return probedStatus({
      running: containerId !== "",
      startup: results.startup.get(containerId),
      hasStartupWorker: workers.get(ref.podUid, ref.container, "startup") !== undefined,
      readiness: results.readiness.get(containerId),
      hasReadinessWorker: workers.get(ref.podUid, ref.container, "readiness") !== undefined,
      ready,
      remembered,
    });
  }
}

export interface ContainerFacts {
  readonly running: boolean;
  readonly startup: Result | undefined;
  readonly hasStartupWorker: boolean;
  readonly readiness: Result | undefined;
  readonly hasReadinessWorker: boolean;
  /** It ran already when the agent started: what counts until there are results. */
  readonly remembered?: ContainerRecord["remembered"];
  /** What the status says so far: kept while the container is not started. */
  readonly ready: boolean;
}

export interface ProbedStatus {
  readonly started: boolean;
  readonly ready: boolean;
  /** The readiness worker is to make a step now. */
  readonly triggerReadiness: boolean;
}

export function probedStatus(facts: ContainerFacts): ProbedStatus {
  const started = facts.running && isStarted(facts);
  if (!started) return { started, ready: facts.ready, triggerReadiness: false };
  if (facts.readiness === "success") return { started, ready: true, triggerReadiness: false };
  const assumed = facts.readiness === undefined && facts.remembered?.ready === true;
  const triggerReadiness = facts.hasReadinessWorker;
  return { started, ready: !facts.hasReadinessWorker || assumed, triggerReadiness };
}

function isStarted({ startup, hasStartupWorker, remembered }: ContainerFacts): boolean {
  if (startup !== undefined) return startup === "success";
  return !hasStartupWorker || remembered?.started === true;
}

/** All probes of the node: workers, their rounds, and what results do to pods. */
import type { Container, NodeContext, Pod, StartedContainer } from "@hooklet/core";
import { actionOf } from "./actions.js";
import type { Budgets } from "./budgets.js";
import type { ContainerRecord } from "./container-record.js";
import { probedStatus } from "./container-status.js";
import { recordRestart, recordStored } from "./explain.js";
import { attempt, type ProbeNetwork } from "./handlers/run.js";
import { lookAt } from "./look.js";
import { createMetrics } from "./metrics.js";
import { ProbedPods } from "./probed-pods.js";
import { ResultCache } from "./results.js";
import { probeRound, type Round } from "./round.js";
import { Scheduler } from "./schedule/scheduler.js";
import { fractionOf, type Schedule } from "./schedule/strategies.js";
import { kindText, type ProbeKind, probeKinds, type ProbeSpec, type Result } from "./types.js";
import type { Change, PodLook } from "./worker/machine.js";
import { probeOf, type WantedWorker } from "./worker/spec.js";
import { ProbeWorker, type WorkerPorts } from "./worker/worker.js";

export interface ProberParts {
  readonly ctx: NodeContext;
  readonly schedule: Schedule;
  readonly network: ProbeNetwork;
  readonly budgets: Budgets;
}

export class Prober {
  readonly scheduler: Scheduler;
  readonly pods: ProbedPods<ProbeWorker>;
  readonly #parts: ProberParts;
  readonly #metrics: ReturnType<typeof createMetrics>;
  readonly #agentStartedAt: number;
  readonly #results: Readonly<Record<ProbeKind, ResultCache>>;
  /** When pods came, monotonic milliseconds. */
  readonly #since = new Map<string, number>();
  /** Pod uid -> container -> record. */
  readonly #records = new Map<string, Map<string, ContainerRecord>>();
  /** How many workers there ever were, by period. */
  readonly #counts = new Map<number, number>();

  constructor(parts: ProberParts) {
    const { clock, metrics } = parts.ctx;
    this.#parts = parts;
    this.#metrics = createMetrics(metrics);
    this.#agentStartedAt = clock.monotonic();
    this.scheduler = new Scheduler(clock);
    this.#results = { liveness: new ResultCache(), readiness: new ResultCache(), startup: new ResultCache() };
    this.pods = new ProbedPods<ProbeWorker>({
      make: (pod, wanted) => this.#make(pod, wanted),
      gone: (worker) => this.#gone(worker),
    });
  }

  /** The pod is there from now on; its workers wait for its containers. */
  came(uid: string): void {
    if (!this.#since.has(uid)) this.#since.set(uid, this.#parts.ctx.clock.monotonic());
  }

  /** A container is about to be made: what is to be held back until probes have spoken. */
  prepare(pod: Pod, container: Container): { readonly holdReady: boolean; readonly holdStarted: boolean } {
    const holdReady = probeOf(container, "readiness") !== undefined;
    const holdStarted = probeOf(container, "startup") !== undefined;
    if (probeKinds.every((kind) => probeOf(container, kind) === undefined)) return { holdReady, holdStarted };
    this.came(pod.metadata.uid);
    this.pods.add(pod);
    const record = this.#record(pod.metadata.uid, container.name);
    Object.assign(record, { ready: !holdReady, started: !holdStarted, remembered: undefined });
    return { holdReady, holdStarted };
  }

  /** A container runs: its workers work. */
  started({ podUid, container, containerId }: Pick<StartedContainer, "podUid" | "container" | "containerId">): void {
    this.#record(podUid, container).containerId = containerId;
    this.#begin(podUid, container);
  }

  /** A container that ran before this agent. */
  adopt(pod: Pod, container: Container, containerId: string, remembered: ContainerRecord["remembered"]): void {
    const { uid } = pod.metadata;
    const { pods } = this.#parts.ctx;
    this.came(uid);
    this.pods.add(pod);
    const record = this.#record(uid, container.name);
    Object.assign(record, { containerId, remembered, ready: true, started: true });
    this.#begin(uid, container.name);
    const { ready, started } = this.#statusOf(record, true);
    if (probeOf(container, "readiness") !== undefined) pods.setContainerReady(record.ref, ready);
    if (probeOf(container, "startup") !== undefined) pods.setContainerStarted(record.ref, started);
    Object.assign(record, { ready, started });
  }

  /** The pod is being stopped: liveness and startup of its main containers must not see it go. */
  stopping(pod: Pod): void {
    for (const { name } of pod.spec.containers) {
      for (const kind of ["liveness", "startup"] as const) this.pods.end(pod.metadata.uid, name, kind);
    }
  }

  removed(uid: string): void {
    this.pods.remove(uid);
    this.#records.delete(uid);
    this.#since.delete(uid);
  }

  /** Forgets pods that are gone without a word. */
  cleanup(): void {
    const known = new Set(this.#parts.ctx.pods.list().map((pod) => pod.metadata.uid));
    for (const uid of [...this.#since.keys()]) if (!known.has(uid)) this.removed(uid);
  }

  /** The containers that run, with what their status says. */
  *records(): Iterable<ContainerRecord> {
    for (const own of this.#records.values()) yield* own.values();
  }

  stop(): void {
    this.scheduler.stop();
    for (const uid of [...this.#records.keys()]) this.removed(uid);
  }

  #record(podUid: string, container: string): ContainerRecord {
    const own = this.#records.get(podUid) ?? new Map<string, ContainerRecord>();
    this.#records.set(podUid, own);
    const record = own.get(container) ?? {
      ref: { podUid, container },
      containerId: "",
      remembered: undefined,
      ready: false,
      started: false,
    };
    own.set(container, record);
    return record;
  }

  #make(pod: Pod, { container, spec }: WantedWorker): ProbeWorker {
    const { uid } = pod.metadata;
    const index = this.#counts.get(spec.periodMilliseconds) ?? 0;
    this.#counts.set(spec.periodMilliseconds, index + 1);
    const fraction = fractionOf(`${uid}/${container.name}/${spec.kind}`);
    const metrics = this.#metrics(pod, container.name, spec.kind);
    return new ProbeWorker(uid, container.name, spec, metrics, { fraction, index }, this.#ports);
  }

  #begin(uid: string, container: string): void {
    const since = this.#since.get(uid) ?? this.#parts.ctx.clock.monotonic();
    for (const kind of probeKinds) this.pods.get(uid, container, kind)?.begin(since);
    const record = this.#records.get(uid)?.get(container);
    if (record !== undefined && this.#statusOf(record, true).started) this.pods.get(uid, container, "readiness")?.trigger();
  }

  #gone(worker: ProbeWorker): void {
    worker.stop();
    this.#results[worker.spec.kind].remove(worker.state.containerId);
    worker.metrics.remove();
  }

  readonly #ports: WorkerPorts = {
    get clock() {
      return clockOf();
    },
  } as never;
}

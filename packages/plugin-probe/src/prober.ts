/** All probes of the node: which workers there are, and what their results do to pods. */
import type { Container, NodeContext, Pod, StartedContainer } from "@hooklet/core";
import { explainResult } from "./explain.js";
import type { MakeAttempt, ProbeNetwork } from "./handlers/attempt.js";
import { createMetrics } from "./metrics.js";
import type { ProbeLimits } from "./probe-limits.js";
import { timedRound } from "./probe-round.js";
import { type ContainerRecord, Containers } from "./probed-containers.js";
import { ProbedPods, stopLivenessAndStartup } from "./probed-pods.js";
import { actionOf, killMessage, ResultCache } from "./results.js";
import { Scheduler } from "./scheduler.js";
import { fractionOf, onBeat, type Schedule } from "./schedules.js";
import { stepFacts } from "./step-facts.js";
import { probeKinds, probeOf, type Result, type Round } from "./types.js";
import type { WantedWorker } from "./worker/spec.js";
import type { Change } from "./worker/state-machine.js";
import { ProbeWorker, type WorkerPorts } from "./worker/worker.js";

export interface ProberParts {
  readonly ctx: NodeContext;
  readonly schedule: Schedule;
  readonly network: ProbeNetwork;
  readonly make: MakeAttempt;
  readonly limits: ProbeLimits;
  /** Called when something that has to survive the agent has changed. */
  changed(): void;
}

export class Prober {
  readonly scheduler: Scheduler;
  readonly workers: ProbedPods<ProbeWorker>;
  readonly containers: Containers;
  readonly #ctx: NodeContext;
  readonly #ports: WorkerPorts;
  readonly #series: ReturnType<typeof createMetrics>;
  readonly #results = { liveness: new ResultCache(), readiness: new ResultCache(), startup: new ResultCache() };
  /** When pods came, monotonic milliseconds. */
  readonly #since = new Map<string, number>();
  /** How many workers there ever were, by period. */
  readonly #counts = new Map<number, number>();

  constructor(parts: ProberParts) {
    const { ctx } = parts;
    this.#ctx = ctx;
    this.#series = createMetrics(ctx.metrics);
    this.scheduler = new Scheduler(ctx.clock);
    this.workers = new ProbedPods<ProbeWorker>({
      make: (pod, wanted) => this.#make(pod, wanted),
      gone: (worker) => this.#gone(worker),
    });
    this.containers = new Containers({
      pods: ctx.pods,
      results: this.#results,
      workers: this.workers,
      changed: () => parts.changed(),
    });
    this.#ports = {
      clock: ctx.clock,
      scheduler: this.scheduler,
      schedule: parts.schedule,
      agentStartedAt: ctx.clock.monotonic(),
      look: (worker) => stepFacts(ctx, this.containers, worker),
      round: (worker) => timedRound(parts, worker),
      changed: (worker, change, round) => this.#changed(worker, change, round),
      ended: (worker) => this.workers.end(worker.podUid, worker.container, worker.spec.kind),
    };
  }

  /** Adds a pod; its workers wait for its containers. */
  came(uid: string): void {
    if (!this.#since.has(uid)) this.#since.set(uid, this.#ctx.clock.monotonic());
  }

  /** A container is about to be made: what is to be held back until probes have spoken; undefined when it has none. */
  prepare(pod: Pod, container: Container): { readonly ready: boolean; readonly started: boolean } | undefined {
    if (probeKinds.every((kind) => probeOf(container, kind) === undefined)) return undefined;
    const { uid } = pod.metadata;
    this.came(uid);
    this.workers.add(pod);
    const ready = probeOf(container, "readiness") === undefined;
    const started = probeOf(container, "startup") === undefined;
    this.containers.put({ podUid: uid, container: container.name }, { ready, started, remembered: undefined });
    return { ready, started };
  }

  /** A container runs: its workers work. */
  started({ podUid, container, containerId }: Pick<StartedContainer, "podUid" | "container" | "containerId">): void {
    this.#begin(this.containers.put({ podUid, container }, { containerId }));
  }

  /** A container that ran before this agent. What is `remembered` counts until there are results. */
  adopt(pod: Pod, container: Container, containerId: string, remembered: ContainerRecord["remembered"]): void {
    const { uid } = pod.metadata;
    this.came(uid);
    this.workers.add(pod);
    // Core publishes it as ready and started by default.
    this.#begin(
      this.containers.put(
        { podUid: uid, container: container.name },
        { containerId, remembered, ready: true, started: true },
      ),
    );
  }

  /** The pod is being stopped: liveness and startup of its main containers must not see it go. */
  stopping(pod: Pod): void {
    stopLivenessAndStartup(this.workers, pod);
  }

  removed(uid: string): void {
    this.workers.remove(uid);
    this.containers.remove(uid);
    this.#since.delete(uid);
  }

  /** Forgets pods that disappeared without an event. */
  cleanup(): void {
    const known = new Set(this.#ctx.pods.list().map((pod) => pod.metadata.uid));
    for (const uid of [...this.#since.keys()]) if (!known.has(uid)) this.removed(uid);
  }

  stop(): void {
    this.scheduler.stop();
    for (const uid of [...this.#since.keys()]) this.removed(uid);
  }

  #begin(record: ContainerRecord): void {
    const { podUid, container } = record.ref;
    const since = this.#since.get(podUid) ?? this.#ctx.clock.monotonic();
    for (const kind of probeKinds) this.workers.get(podUid, container, kind)?.begin(since);
    this.#refresh(record);
  }

  /** `mayTrigger`: a container that is not ready is probed at once. */
  #refresh(record: ContainerRecord, mayTrigger = true): void {
    const trigger = this.containers.refresh(record);
    if (trigger && mayTrigger) this.workers.get(record.ref.podUid, record.ref.container, "readiness")?.trigger();
  }

  #make(pod: Pod, { container, spec }: WantedWorker): ProbeWorker {
    const { uid } = pod.metadata;
    const index = this.#counts.get(spec.periodMilliseconds) ?? 0;
    this.#counts.set(spec.periodMilliseconds, index + 1);
    const own = fractionOf(`${uid}/${container.name}/${spec.kind}`);
    const since = this.#since.get(uid) ?? this.#ctx.clock.monotonic();
    // An exec costs the node far more than its beginning costs us: together they would only make each other late.
    const fraction = spec.handler === "exec" ? own : onBeat(own, since, spec.periodMilliseconds);
    return new ProbeWorker({
      podUid: uid,
      container: container.name,
      spec,
      metrics: this.#series(pod, container.name, spec.kind),
      share: { fraction, index },
      ports: this.#ports,
    });
  }

  #gone(worker: ProbeWorker): void {
    worker.stop();
    this.#results[worker.spec.kind].remove(worker.state.containerId);
    worker.metrics.remove();
  }

  #changed(worker: ProbeWorker, { drop, store }: Change, round: Round | undefined): void {
    const results = this.#results[worker.spec.kind];
    if (drop !== undefined) results.remove(drop);
    if (store === undefined) return;
    const isNews = results.set(store.containerId, store.result);
    if (round !== undefined) explainResult(this.#ctx, worker, store.result);
    if (isNews) this.#act(worker, store.result, store.containerId, round !== undefined);
  }

  #act(worker: ProbeWorker, result: Result, containerId: string, wasProbed: boolean): void {
    const { podUid, container, spec } = worker;
    const pod = this.#ctx.pods.get(podUid);
    const action = actionOf(spec.kind, result);
    const record = this.containers.get({ podUid, container });
    if (action.writesStatus && record?.containerId === containerId) this.#refresh(record, wasProbed);
    if (!action.kill || pod === undefined || this.#ctx.pods.running({ podUid, container }) === undefined) return;
    const grace = spec.terminationGracePeriodSeconds;
    this.#ctx.pods.restartContainer(
      { podUid, container },
      {
        message: killMessage(pod, container, spec.kind),
        containerId,
        ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
      },
    );
  }
}

/**
 * Brings the runtime's news to the pods: events where the runtime has them and a relist as a safety net (300 s), else a
 * relist every second (the kubelet's PLEG).
 */

import { isRuntimeError, type Runtime, type RuntimeEvent } from "@hooklet/cri-api";
import type { Clock, Timer } from "@hooklet/utils";
import type { PodMetrics } from "../metrics/pod-metrics.js";
import type { ReportPort } from "../pod/life/ending-steps.js";
import type { PodManager } from "../pod/life/pod-manager.js";
import { type PodRemains, remains } from "../pod/life/take-over.js";
import type { PodWorker } from "../pod/life/worker.js";

const WITH_EVENTS = 300_000;
const WITHOUT_EVENTS = 1_000;
/** Milliseconds between checks whether the runtime reports what an event announced; after the last one everything is relisted. */
const LOOK_AGAIN = [50, 200, 1_000, 5_000];

export interface ObserverPorts extends ReportPort {
  readonly clock: Clock;
  readonly runtime: Runtime;
  readonly metrics: PodMetrics;
}

export class Observer {
  #timer: Timer | undefined;
  #unsubscribe: (() => void) | undefined;
  #stopped = false;
  #looking = false;
  #again = false;
  /** Monotonic milliseconds: when the last relist began. */
  #relisted: number | undefined;
  /** Pending checks by subject: a container, or the sandbox of a pod. */
  readonly #pending = new Map<string, Timer>();
  /** Status calls under way by the same key, with the event that came meanwhile. */
  readonly #asking = new Map<string, RuntimeEvent | undefined>();

  constructor(
    private readonly manager: PodManager,
    private readonly ports: ObserverPorts,
  ) {}

  start(): void {
    this.#unsubscribe = this.ports.runtime.subscribe?.(
      (event) => void this.#take(event, 0),
      () => this.#observe(),
    );
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    for (const timer of this.#pending.values()) timer.cancel();
    this.#pending.clear();
    this.#unsubscribe?.();
  }

  /** An event may come before the status that it announces, and the status call may fail: then it is retried. */
  async #take(event: RuntimeEvent, tries: number): Promise<void> {
    const key = event.containerId === "" ? event.podUid : event.containerId;
    if (this.#asking.has(key)) {
      // Later events do not announce the end again.
      if (this.#asking.get(key)?.type !== "CONTAINER_STOPPED") this.#asking.set(key, event);
      return;
    }
    this.#asking.set(key, undefined);
    let settled = false;
    try {
      settled = await this.manager.observe(event);
    } catch (error) {
      this.#problem("event", error);
    }
    const meanwhile = this.#asking.get(key);
    this.#asking.delete(key);
    if (meanwhile !== undefined && !this.#stopped) {
      await this.#take(meanwhile, 0);
      return;
    }
    if (settled || this.#stopped || this.#pending.has(key)) return;
    const pause = LOOK_AGAIN[tries];
    if (pause === undefined) {
      this.#observe();
      return;
    }
    const again = (): void => {
      this.#pending.delete(key);
      void this.#take(event, tries + 1);
    };
    this.#pending.set(key, this.ports.clock.schedule(pause, again));
  }

  #schedule(period = this.#unsubscribe === undefined ? WITHOUT_EVENTS : WITH_EVENTS): void {
    this.#timer?.cancel();
    if (this.#stopped) return;
    this.#timer = this.ports.clock.schedule(period, () => this.#observe());
  }

  /** Relists now, or once more after the relist under way: what it has passed already may have changed. */
  #observe(): void {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = true;
    this.#again = false;
    const looked = (period?: number): void => {
      this.#looking = false;
      this.#schedule(this.#again ? 0 : period);
    };
    this.relist().then(
      () => looked(),
      (error: unknown) => {
        this.#problem("relist", error);
        looked(WITHOUT_EVENTS);
      },
    );
  }

  /** Relists everything once. */
  async relist(): Promise<void> {
    const { clock, metrics } = this.ports;
    const began = clock.monotonic();
    const interval = this.#relisted === undefined ? undefined : (began - this.#relisted) / 1000;
    this.#relisted = began;
    const found = await remains(this.ports.runtime);
    const failures: unknown[] = [];
    for (const worker of [...this.manager.workers()]) {
      await this.#compare(worker, found.get(worker.pod.metadata.uid)).catch((error: unknown) => failures.push(error));
    }
    metrics.relist((clock.monotonic() - began) / 1000, interval, clock.now() / 1000);
    // Every pod was observed; the next relist comes soon.
    if (failures.length > 0) throw failures[0];
  }

  async #compare(worker: PodWorker, pod: PodRemains | undefined): Promise<void> {
    const { sandbox, containers } = worker.state;
    const byId = new Map((pod?.containers ?? []).map((container) => [container.id, container]));
    for (const [container, state] of Object.entries(containers)) {
      if (state.kind !== "running") continue;
      const found = byId.get(state.id);
      if (found === undefined) await this.#missing(worker, container, state.id);
      else if (found.state === "CONTAINER_EXITED") await worker.refresh(found.id);
    }
    if (sandbox.kind !== "ready") return;
    const listed = pod?.sandboxes.find(({ id }) => id === sandbox.id);
    if (listed?.state !== "SANDBOX_READY") await worker.checkSandbox();
  }

  /** Not in the list: gone, or younger than the list. */
  async #missing(worker: PodWorker, container: string, id: string): Promise<void> {
    try {
      await worker.refresh(id);
    } catch (error) {
      if (!isRuntimeError(error, "not-found")) throw error;
      const { clock } = this.ports;
      const observation = { kind: "lost", id, now: clock.monotonic(), wall: clock.now() } as const;
      worker.dispatch({ type: "observed", container, observation });
    }
  }

  /** An unavailable runtime is reported by its health; everything else is reported here. */
  #problem(what: string, error: unknown): void {
    if (isRuntimeError(error, "unavailable") || isRuntimeError(error, "not-found")) return;
    this.ports.report(what, error);
  }
}

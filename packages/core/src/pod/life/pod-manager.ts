/** All pods of the node, as the agent, the plugins and the API see and move them. pod-registry.ts decides which pods there are. */

import type { RuntimeEvent } from "@hooklet/cri-api";
import type { ContainerRef, Pod } from "@hooklet/manifest";
import { deepFreeze, Listeners } from "@hooklet/utils";
import type { TerminationCause } from "../../hooks/termination.js";
import type { PodsPort, RestartRequest } from "../../plugin/contract.js";
import type { PodChanges } from "../../sources/port.js";
import { handling } from "../handling.js";
import { holding } from "../holds.js";
import type { PodOverrides } from "./pod-overrides.js";
import { PodRegistry, type Quarantine } from "./pod-registry.js";
import type { StepPorts } from "./steps.js";
import type { PodRemains } from "./take-over.js";
import type { PodWorker } from "./worker.js";

export interface ManagerOptions {
  readonly ports: StepPorts;
  readonly idPrefix: string;
  /** Causes that an earlier life of the agent kept (uid -> cause). */
  readonly remembered: ReadonlyMap<string, TerminationCause>;
  readonly onChange: (pod: Pod) => void;
  readonly quarantine: Quarantine;
  /** The pod is stopped for good; its uid and name are free once the returned promise settles. */
  readonly onEnd: (pod: Pod, source: string | undefined) => Promise<void> | undefined;
  /** The pod is gone for good. */
  readonly onGone: (pod: Pod) => void;
}

type Watcher = Parameters<PodsPort["watch"]>[0];
type Updater = Parameters<PodsPort["onUpdate"]>[0];

export class PodManager
  implements
    Pick<PodsPort, "list" | "get" | "active" | "awaited" | "watch" | "onUpdate" | "restartContainer" | "running">
{
  readonly #registry: PodRegistry;
  readonly #watchers: Listeners<Parameters<Watcher>>;
  readonly #updaters: Updater[] = [];
  /** Pods, with their status, that were published. */
  readonly #published = new WeakSet<Pod>();
  #ending = false;

  constructor(private readonly options: ManagerOptions) {
    const { ports, idPrefix, remembered } = options;
    this.#watchers = new Listeners((error) => ports.report("watcher of pods", error));
    this.#registry = new PodRegistry({
      ports,
      idPrefix,
      remembered,
      quarantine: options.quarantine,
      onChange: (worker) => this.#changed(worker),
      // A shutdown does not wait for readers of statuses.
      onEnd: (worker, source) => (this.#ending ? undefined : options.onEnd(worker.shown, source)),
      onGone: (worker) => this.#gone(worker),
      applies: (before, after) => this.#updaters.some((applies) => applies(before, after)),
    });
  }

  /** What plugins say of pods. */
  get overrides(): PodOverrides {
    return this.#registry.overrides;
  }

  get #workers(): ReadonlyMap<string, PodWorker> {
    return this.#registry.workers;
  }

  /** What the runtime had when the agent started; pods that come are taken over from it. */
  found(remains: ReadonlyMap<string, PodRemains>): void {
    this.#registry.found(remains);
  }

  /** Whole sets of some sources, by name. Resolves once pods that already ran are taken over. */
  setDesired(sets: Iterable<readonly [source: string, pods: readonly Pod[]]>): Promise<void> {
    return this.#registry.replace(sets);
  }

  /** Single changes of one source's set. */
  change(source: string, changes: PodChanges): Promise<void> {
    return this.#registry.change(source, changes);
  }

  /** Stops running pods that no source wants. Call it once every source has delivered its pods. */
  stopOrphans(): Promise<void> {
    return this.#registry.stopOrphans();
  }

  /** The name of the source that wants, or wanted, the pod; undefined for an unknown pod. */
  sourceOf(uid: string): string | undefined {
    return this.#registry.sourceOf(uid);
  }

  /** The source that owns the pod, also after a restart of the agent; undefined: any source may deliver it. */
  ownerOf(uid: string): string | undefined {
    return this.#registry.sourceOf(uid) ?? this.#registry.earlierSource(uid);
  }

  /** There is a pod of this uid, a source wants one, or it runs from before and no source has spoken of it. */
  isKnown(uid: string): boolean {
    return this.#workers.has(uid) || this.#registry.isRestored(uid) || this.sourceOf(uid) !== undefined;
  }

  /** Asks the plugins to apply another spec to the running pod; true when one did, and the pod goes on as `after`. */
  update(before: Pod, after: Pod): boolean {
    return this.#registry.update(before, after);
  }

  onUpdate(applies: Updater): void {
    this.#updaters.push(applies);
  }

  #changed(worker: PodWorker): void {
    // A pod that is taken over is published once its plugins have reported: before that its readiness is a guess.
    if (worker.isReported && !this.#published.has(worker.shown)) {
      this.#published.add(worker.shown);
      this.options.onChange(worker.shown);
    }
    this.#watchers.tell(worker.pod.metadata.uid, worker.shown);
  }

  #gone(worker: PodWorker): void {
    this.options.onGone(worker.pod);
    this.#watchers.tell(worker.pod.metadata.uid, undefined);
  }

  /** Whether `shutdown` was called: what is applied now would not run. */
  get isEnding(): boolean {
    return this.#ending;
  }

  /** Stops every pod; resolves when all are gone. `gracePeriodSeconds`: in place of the pods' own. */
  async shutdown(gracePeriodSeconds?: number): Promise<void> {
    this.#ending = true;
    this.#registry.close();
    for (const worker of [...this.#workers.values()]) {
      this.#registry.terminate(worker, { kind: "shutdown" }, gracePeriodSeconds);
    }
    await this.until(() => this.#workers.size === 0);
  }

  /**
   * Resolves as soon as the predicate holds; it is evaluated after every change of a pod. Rejects with the signal's reason and
   * then leaves no watcher.
   */
  until(predicate: () => boolean, signal?: AbortSignal): Promise<void> {
    if (predicate()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const givenUp = (): void => {
        stop();
        reject(signal?.reason);
      };
      const stop = this.watch(() => {
        if (!predicate()) return;
        stop();
        signal?.removeEventListener("abort", givenUp);
        resolve();
      });
      if (signal?.aborted) givenUp();
      else signal?.addEventListener("abort", givenUp, { once: true });
    });
  }

  /** How many wait for news of pods. */
  get watchers(): number {
    return this.#watchers.size;
  }

  /** Called after every change of a pod, also when it is gone (undefined). Returns what ends it. */
  watch(watcher: Watcher): () => void {
    return this.#watchers.add(watcher);
  }

  /** Ends all workers; the pods run on. */
  async close(): Promise<void> {
    this.#registry.close();
    await Promise.allSettled([...this.#workers.values()].map((worker) => worker.detach()));
  }

  /**
   * Applies a runtime event: reads the container's or the sandbox's state for its pod. False when the runtime does not report yet what it
   * has announced: observe it again.
   */
  observe(event: RuntimeEvent): Promise<boolean> {
    return handling(event.podUid, () => this.#observe(event));
  }

  async #observe(event: RuntimeEvent): Promise<boolean> {
    const worker = this.#workers.get(event.podUid);
    if (worker === undefined && event.containerId === "" && event.type === "CONTAINER_STOPPED") {
      this.#registry.ended(event.podUid);
    }
    if (worker === undefined || event.type === "CONTAINER_DELETED") return true;
    if (event.containerId === "") {
      if (event.type === "CONTAINER_STOPPED") await worker.checkSandbox();
      return true;
    }
    const isEnd = event.type === "CONTAINER_STOPPED";
    if (!worker.knows(event))
      await (isEnd ? worker.refreshEnded(event.containerId) : worker.refresh(event.containerId));
    return !isEnd || !worker.isRunning(event.containerId);
  }

  workers(): Iterable<PodWorker> {
    return this.#workers.values();
  }

  worker(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  list(): readonly Pod[] {
    return [...this.#workers.values()].map((worker) => worker.shown);
  }

  get(uid: string): Pod | undefined {
    return this.#workers.get(uid)?.shown;
  }

  active(): readonly Pod[] {
    return [...this.#workers.values()]
      .filter(({ state }) => state.life.kind === "active" || state.life.kind === "terminating")
      .map((worker) => worker.shown);
  }

  /** The other pods that hold resources of the node, with what they hold: those that were admitted, and those that run from before. */
  others(uid: string): readonly Pod[] {
    const admitted = [...this.#workers.values()]
      .filter(({ state: { life } }) => life.kind === "active" || (life.kind === "terminating" && !life.unadmitted))
      .map((worker) => this.holding(worker.shown));
    return [...admitted, ...this.#registry.heldBeside(uid)].filter(({ metadata }) => metadata.uid !== uid);
  }

  /** The pod with what it holds, while it waits for other amounts. */
  holding(pod: Pod): Pod {
    const worker = this.#workers.get(pod.metadata.uid);
    return worker === undefined ? pod : deepFreeze(holding(pod, worker.state.overrides));
  }

  awaited(): readonly Pod[] {
    return this.#registry.awaited();
  }

  restartContainer(ref: ContainerRef, restart: RestartRequest): void {
    const { containerId, ...request } = restart;
    const id = containerId === undefined ? {} : { id: containerId };
    this.#workers.get(ref.podUid)?.dispatch({ type: "killRequested", container: ref.container, ...request, ...id });
  }

  running(ref: ContainerRef): ReturnType<PodsPort["running"]> {
    const container = this.#workers.get(ref.podUid)?.state.containers[ref.container];
    if (container?.kind !== "running") return undefined;
    return { containerId: container.id, startedAt: container.startedAt, restartCount: container.attempt };
  }
}

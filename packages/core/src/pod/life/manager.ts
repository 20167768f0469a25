/**
 * All pods of the node: what the sources want on one side, what the runtime has on the other, one worker per pod
 * between them. Two pods of the same name never run at the same time: the new one waits until the old one is gone.
 */

import { ConfigAnnotations, type ContainerRef, isCriticalPod, type Pod, podText } from "@hooklet/manifest";
import type { AdmissionQueue } from "../../admission/queue.js";
import type { PodsPort, RestartRequest } from "../../plugin/contract.js";
import type { RuntimeEvent } from "../../runtime/port.js";
import { saysTheSame } from "../../sources/same-pod.js";
import type { TerminationCause } from "../termination.js";
import { adopt, firstSeen, orphan, type PodRemains } from "./adopt.js";
import { PodWords } from "./pod-words.js";
import type { PodLifePorts } from "./ports.js";
import { PodWorker } from "./worker.js";

export interface ManagerOptions {
  readonly ports: Omit<PodLifePorts, "admit">;
  readonly queue: Pick<AdmissionQueue, "admit">;
  readonly idPrefix: string;
  /** Causes that an earlier life of the agent kept (uid -> cause). */
  readonly remembered: ReadonlyMap<string, TerminationCause>;
  readonly onChange: (pod: Pod) => void;
  /** The pod is gone for good. */
  readonly onGone: (pod: Pod) => void;
}

const sourceOf = (pod: Pod): string => pod.metadata.annotations?.[ConfigAnnotations.source] ?? "api";
const fullName = (pod: Pod): string => `${pod.metadata.namespace}/${pod.metadata.name}`;

export class PodManager implements Pick<PodsPort, "list" | "get" | "active" | "restartContainer" | "running"> {
  readonly #workers = new Map<string, PodWorker>();
  /** Full name -> uid of the worker that holds it. */
  readonly #names = new Map<string, string>();
  /** Full name -> the pod that starts when the name is free. */
  readonly #waiting = new Map<string, Pod>();
  readonly #desired = new Map<string, readonly Pod[]>();
  readonly #deletionGrace = new Map<string, number>();
  readonly #watchers = new Set<() => void>();
  #remains = new Map<string, PodRemains>();
  readonly #remembered: Map<string, TerminationCause>;
  /** What plugins say of pods. */
  readonly words = new PodWords({
    dispatch: (uid, event) => {
      const worker = this.#workers.get(uid);
      worker?.dispatch(event);
      return worker !== undefined;
    },
    isAwaited: (uid) => this.#remains.has(uid),
  });
  #closed = false;
  /** All pods are stopped for good. */
  #ending = false;

  readonly #ports: PodLifePorts;

  constructor(private readonly options: ManagerOptions) {
    const active = (): readonly Pod[] => this.active();
    this.#ports = { ...options.ports, admit: (pod, signal) => options.queue.admit(pod, active, signal) };
    this.#remembered = new Map(options.remembered);
  }

  /** What the runtime had when the agent started; pods that come are adopted from it. */
  found(remains: ReadonlyMap<string, PodRemains>): void {
    this.#remains = new Map(remains);
  }

  /**
   * Whole sets of some sources, by name. Resolves once pods that already ran are adopted. What runs is admitted before
   * what does not, and critical pods before others: over a restart of the agent nobody takes another one's place.
   */
  async setDesired(sets: Iterable<readonly [source: string, pods: readonly Pod[]]>): Promise<void> {
    if (this.#closed || this.#ending) return;
    for (const [source, pods] of sets) this.#desired.set(source, pods);
    const wanted = new Map([...this.#desired.values()].flat().map((pod) => [pod.metadata.uid, pod]));
    const names = this.#namesOf(wanted.values());
    const fresh: Pod[] = [];
    for (const [uid, worker] of this.#workers) {
      const pod = wanted.get(uid);
      const same = pod !== undefined && (pod === worker.pod || saysTheSame(pod, worker.pod));
      const goes = worker.state.removal !== undefined;
      if (same && !goes) continue;
      if (pod !== undefined && names.get(fullName(pod)) === pod) fresh.push(pod);
      if (!goes) this.#terminate(worker, { kind: names.has(fullName(worker.pod)) ? "replaced" : "deleted" });
    }
    for (const name of this.#waiting.keys()) if (!names.has(name)) this.#waiting.delete(name);
    fresh.push(...[...names.values()].filter((pod) => !this.#workers.has(pod.metadata.uid)));
    await Promise.all(fresh.filter((pod) => this.#ran(pod)).map((pod) => this.#take(pod)));
    const others = fresh.filter((pod) => !this.#ran(pod));
    const rank = (pod: Pod): number => (isCriticalPod(pod) ? 0 : 1);
    await Promise.all(others.toSorted((a, b) => rank(a) - rank(b)).map((pod) => this.#take(pod)));
  }

  /** By full name. Two sources may want a pod of one name: the one that runs stays, else the first one counts. */
  #namesOf(pods: Iterable<Pod>): ReadonlyMap<string, Pod> {
    const names = new Map<string, Pod>();
    for (const pod of pods) {
      const name = fullName(pod);
      const other = names.get(name);
      if (other === undefined || this.#workers.has(pod.metadata.uid)) names.set(name, pod);
      if (other === undefined) continue;
      const [loser, winner] = names.get(name) === pod ? [other, pod] : [pod, other];
      const text = `pod ${name} is wanted by sources ${sourceOf(winner)} and ${sourceOf(loser)}: the one of ${sourceOf(winner)} counts`;
      this.options.ports.events.node("Warning", "DuplicatePod", text);
    }
    return names;
  }

  #ran(pod: Pod): boolean {
    return this.#remains.has(pod.metadata.uid);
  }

  /** Stops what runs and is wanted by nobody. To be called once every source has spoken. */
  async stopOrphans(): Promise<void> {
    for (const [uid, remains] of this.#remains) {
      if (this.#workers.has(uid) || this.#waitingUids().has(uid)) continue;
      this.options.ports.metrics.orphanedPod();
      await this.#adoptOrphan(remains);
    }
    this.#remains = new Map();
    this.words.clear();
  }

  async #adoptOrphan(remains: PodRemains): Promise<void> {
    const worker = await this.#create(orphan(remains), remains);
    this.#terminate(worker, { kind: "orphaned" });
    worker.start();
  }

  #waitingUids(): ReadonlySet<string> {
    return new Set([...this.#waiting.values()].map((pod) => pod.metadata.uid));
  }

  async #take(pod: Pod): Promise<void> {
    if (this.#ending) return;
    const holder = this.#workers.get(pod.metadata.uid);
    if (holder !== undefined || this.#names.has(fullName(pod))) {
      this.#waiting.set(fullName(holder?.pod ?? pod), pod);
      return;
    }
    const older = this.#olderRemains(pod);
    if (older !== undefined) {
      this.#waiting.set(fullName(pod), pod);
      await this.#adoptOrphan(older);
      return;
    }
    const worker = await this.#create(pod, this.#remains.get(pod.metadata.uid));
    const cause = this.#remembered.get(pod.metadata.uid);
    if (cause !== undefined) this.#terminate(worker, cause);
    worker.start();
  }

  /** An earlier pod of the same name that still runs: the manifest changed while no agent was there. */
  #olderRemains(pod: Pod): PodRemains | undefined {
    if (this.#remains.size === 0) return undefined;
    for (const remains of this.#remains.values()) {
      if (remains.uid === pod.metadata.uid || this.#workers.has(remains.uid)) continue;
      if (fullName(orphan(remains)) === fullName(pod)) return remains;
    }
    return undefined;
  }

  async #create(pod: Pod, remains: PodRemains | undefined): Promise<PodWorker> {
    const { idPrefix } = this.options;
    const ports = this.#ports;
    const startTime = (remains === undefined ? undefined : firstSeen(remains)) ?? ports.clock.now();
    const worker = new PodWorker({
      pod,
      ports,
      idPrefix,
      startTime,
      onChange: (changed) => this.#changed(changed),
      onGone: (gone) => this.#gone(gone),
    });
    this.#workers.set(pod.metadata.uid, worker);
    this.#names.set(fullName(pod), pod.metadata.uid);
    for (const early of this.words.takeEarly(pod.metadata.uid)) worker.dispatch(early);
    // What cannot be taken over now is seen by the next look; the other pods do not wait for it.
    if (remains !== undefined) {
      const where = `taking over pod ${podText(pod)}`;
      await adopt(worker, remains, ports).catch((error: unknown) => ports.report(where, error));
    }
    this.#changed(worker);
    return worker;
  }

  #changed(worker: PodWorker): void {
    this.options.onChange(worker.shown);
    for (const watcher of this.#watchers) watcher();
  }

  #gone(worker: PodWorker): void {
    const { uid } = worker.pod.metadata;
    const name = fullName(worker.pod);
    this.#workers.delete(uid);
    // A pod that comes back under this uid begins anew.
    this.#remains.delete(uid);
    this.#remembered.delete(uid);
    this.#deletionGrace.delete(uid);
    if (this.#names.get(name) === uid) this.#names.delete(name);
    this.options.onGone(worker.pod);
    for (const watcher of this.#watchers) watcher();
    const next = this.#waiting.get(name);
    if (next === undefined || this.#closed) return;
    this.#waiting.delete(name);
    this.#take(next).catch((error: unknown) => this.options.ports.report(`start of pod ${name}`, error));
  }

  #terminate(worker: PodWorker, cause: TerminationCause): void {
    const gracePeriodSeconds = this.#deletionGrace.get(worker.pod.metadata.uid);
    const at = this.options.ports.clock.now();
    worker.dispatch({
      type: "terminate",
      cause,
      at,
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    });
  }

  /** The grace period (seconds) that counts when the pod is deleted next; of one that is being deleted it is shortened. */
  setDeletionGrace(uid: string, seconds: number): void {
    this.#deletionGrace.set(uid, seconds);
    const worker = this.#workers.get(uid);
    if (worker?.state.removal !== undefined) this.#terminate(worker, worker.state.removal.cause);
  }

  /** Stops every pod; resolves when all are gone. `gracePeriodSeconds`: in place of the pods' own. */
  async shutdown(gracePeriodSeconds?: number): Promise<void> {
    this.#ending = true;
    this.#waiting.clear();
    for (const worker of this.#workers.values()) {
      const at = this.options.ports.clock.now();
      const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
      worker.dispatch({ type: "terminate", cause: { kind: "shutdown" }, at, ...grace });
    }
    await this.until(() => this.#workers.size === 0);
  }

  /** Resolves as soon as the predicate holds; it is asked again after every change of a pod. */
  until(predicate: () => boolean): Promise<void> {
    if (predicate()) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.watch(() => {
        if (!predicate()) return;
        stop();
        resolve();
      });
    });
  }

  /** Called after every change of a pod, also when it is gone. Returns what ends it. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Ends all workers; the pods run on. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#workers.values()].map((worker) => worker.detach()));
  }

  /**
   * A runtime event: the container's or the sandbox's news go to its pod. False when the runtime does not yet say what it has
   * announced: to be looked at again.
   */
  async observe(event: RuntimeEvent): Promise<boolean> {
    const worker = this.#workers.get(event.podUid);
    if (worker === undefined || event.type === "CONTAINER_DELETED") return true;
    if (event.containerId === "") {
      if (event.type === "CONTAINER_STOPPED") await worker.checkSandbox();
      return true;
    }
    if (!worker.knows(event)) await worker.refresh(event.containerId);
    return event.type !== "CONTAINER_STOPPED" || !worker.isRunning(event.containerId);
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

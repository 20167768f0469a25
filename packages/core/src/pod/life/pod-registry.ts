/**
 * Which pods there are: what the sources want on one side, what the runtime had on the other, one worker per pod between
 * them. Two pods of the same name never run at the same time: the new one waits until the old one is gone.
 */
import { isStaticPod, type Pod, podText } from "@hooklet/manifest";
import { errorText, inTurns } from "@hooklet/utils";
import type { TerminationCause } from "../../hooks/termination.js";
import type { PodChanges } from "../../sources/port.js";
import { handling } from "../handling.js";
import { type DesiredPod, DesiredState, fullName, type Touched } from "./desired-state.js";
import { PodOverrides } from "./pod-overrides.js";
import { isDeleted, PodUpdates } from "./pod-updates.js";
import type { StepPorts } from "./steps.js";
import { firstSeen, orphan, type PodRemains, takeOver } from "./take-over.js";
import { PendingPods, RestoredPods } from "./waiting-pods.js";
import { PodWorker } from "./worker.js";

/** Pods that the agent does not handle any more, since handling them ended it again and again. */
export interface Quarantine {
  /** Why the pod is quarantined; undefined for all others. */
  quarantineReason(uid: string): string | undefined;
  /** The pod is not wanted any more, or is another one. */
  forget(uid: string): void;
}

export interface RegistryOptions {
  readonly ports: StepPorts;
  readonly idPrefix: string;
  /** Causes that an earlier life of the agent kept (uid -> cause). */
  readonly remembered: ReadonlyMap<string, TerminationCause>;
  readonly quarantine: Quarantine;
  readonly onChange: (worker: PodWorker) => void;
  /** The pod is stopped for good; its uid and name are free once the returned promise settles. */
  readonly onEnd: (worker: PodWorker, source: string | undefined) => Promise<void> | undefined;
  /** The pod is gone, its uid and name are free. */
  readonly onGone: (worker: PodWorker) => void;
  /** Whether a plugin applies another spec to the running pod. */
  readonly applies: (before: Pod, after: Pod) => boolean;
}

export class PodRegistry {
  readonly workers = new Map<string, PodWorker>();
  /** What plugins say of pods. */
  readonly overrides = new PodOverrides({
    dispatch: (uid, event) => {
      const worker = this.workers.get(uid);
      worker?.dispatch(event);
      return worker !== undefined;
    },
    isRestored: (uid) => this.isRestored(uid),
  });
  /** Full name -> uid of the worker that holds it. */
  readonly #names = new Map<string, string>();
  /** Full name -> the pod that starts when the name is free. */
  readonly #waiting = new Map<string, DesiredPod>();
  readonly #desired = new DesiredState();
  /** Uid of a worker -> the source that wanted it. */
  readonly #sources = new Map<string, string>();
  /** Uids that are wanted only to be deleted, and that has been done. */
  readonly #done = new Set<string>();
  readonly #restored = new RestoredPods();
  readonly #pending = new PendingPods();
  readonly #remembered: Map<string, TerminationCause>;
  readonly #updates: PodUpdates;
  #closed = false;

  constructor(private readonly options: RegistryOptions) {
    this.#remembered = new Map(options.remembered);
    this.#updates = new PodUpdates({
      applies: options.applies,
      isReplaced: (pod) => this.#desired.named(fullName(pod)).length > 0,
      terminate: (worker, cause, grace) => this.terminate(worker, cause, grace),
    });
  }

  /** What the runtime had when the agent started; pods that come are taken over from it. */
  found(remains: ReadonlyMap<string, PodRemains>): void {
    this.#pending.found(remains.values());
    this.#restored.found(remains.values());
  }

  /** From now on nothing begins any more. */
  close(): void {
    this.#closed = true;
    this.#waiting.clear();
  }

  /** It runs from before, and no source has spoken of it yet. */
  isRestored(uid: string): boolean {
    return this.#restored.has(uid);
  }

  /** Running pods that no source has delivered yet, as far as the runtime reports them. */
  awaited(): readonly Pod[] {
    return this.#pending.silent(this.workers);
  }

  /** What holds a part of the node besides those that are admitted; nothing for a pod that runs itself: its place is its own. */
  heldBeside(uid: string): readonly Pod[] {
    return this.#pending.has(uid) ? [] : this.#pending.all(this.workers);
  }

  /** Its sandbox ended while the pod was pending. */
  ended(uid: string): void {
    this.#pending.forget(uid);
  }

  sourceOf(uid: string): string | undefined {
    return this.#sources.get(uid) ?? this.#desired.get(uid)?.source;
  }

  /** Of a pod that ran when the agent started. */
  earlierSource(uid: string): string | undefined {
    return this.#restored.sourceOf(uid);
  }

  /**
   * Replaces the pods of some sources, by name. Resolves once running pods are taken over. Running pods are admitted before
   * others, and critical pods before others: after a restart of the agent no pod takes the place of another.
   */
  async replace(sets: Iterable<readonly [source: string, pods: readonly Pod[]]>): Promise<void> {
    if (this.#closed) return;
    const uids = new Set<string>();
    const names = new Set<string>();
    for (const [source, pods] of sets) {
      const touched = this.#desired.replace(source, pods);
      for (const uid of touched.uids) uids.add(uid);
      for (const name of touched.names) names.add(name);
    }
    await this.#settle({ uids, names }, new Map());
  }

  /** Single changes of one source's set. Costs what they change. */
  async change(source: string, changes: PodChanges): Promise<void> {
    if (this.#closed) return;
    const graces = new Map((changes.removed ?? []).map(({ uid, gracePeriodSeconds }) => [uid, gracePeriodSeconds]));
    const touched = this.#desired.change(source, changes);
    // Removed once more, with less time perhaps: it has left the set already.
    for (const [uid, grace] of graces) {
      const worker = touched.uids.has(uid) || this.#sources.get(uid) !== source ? undefined : this.workers.get(uid);
      if (worker?.state.removal !== undefined) this.terminate(worker, worker.state.removal.cause, grace);
    }
    await this.#settle(touched, graces);
  }

  async #settle(touched: Touched, graces: ReadonlyMap<string, number | undefined>): Promise<void> {
    const fresh = new Map<string, DesiredPod>();
    for (const uid of touched.uids) {
      const wanted = this.#desired.get(uid);
      if (wanted === undefined) {
        this.#done.delete(uid);
        this.options.quarantine.forget(uid);
      }
      const worker = this.workers.get(uid);
      if (worker === undefined) continue;
      try {
        if (!this.#updates.leaves(worker, wanted?.pod, graces.get(uid)) || wanted === undefined) continue;
        fresh.set(uid, wanted);
        if (this.#updates.returns(worker)) this.options.ports.metrics.restartedPod(isStaticPod(worker.pod));
      } catch (error) {
        this.#failed(worker.pod, "change", error);
      }
    }
    for (const name of touched.names) {
      const winner = this.#winner(name);
      if (this.#waiting.get(name)?.pod !== winner?.pod) this.#waiting.delete(name);
      if (winner === undefined) continue;
      const { uid } = winner.pod.metadata;
      if (fresh.has(uid) || this.workers.has(uid)) continue;
      fresh.set(uid, winner);
    }
    const due = [...fresh.values()].filter((one) => this.#winner(fullName(one.pod))?.pod === one.pod);
    const { ran, others } = this.#restored.inOrder(due);
    await Promise.all(ran.map((one) => this.#take(one)));
    await inTurns(others, (one) => this.#take(one));
  }

  /** Applies another spec to a running pod, when a plugin can. */
  update(before: Pod, after: Pod): boolean {
    const worker = this.workers.get(before.metadata.uid);
    return worker !== undefined && this.#updates.update(worker, after);
  }

  /** Two sources may want a pod of one name: the running one stays, else the first one counts. */
  #winner(name: string): DesiredPod | undefined {
    const { winner, others } = this.#desired.winner(name, this.workers, this.#done);
    for (const { source } of others) {
      const text = `pod ${name} is wanted by sources ${winner?.source} and ${source}: the one of ${winner?.source} counts`;
      this.options.ports.events.node("Warning", "DuplicatePod", text);
    }
    return winner;
  }

  /** Stops running pods that no source wants. Call it once every source has delivered its pods. */
  async stopOrphans(): Promise<void> {
    const waiting = new Set([...this.#waiting.values()].map(({ pod }) => pod.metadata.uid));
    for (const remains of this.#restored.all()) {
      if (this.workers.has(remains.uid) || waiting.has(remains.uid) || this.#isLeft(remains.uid)) continue;
      this.options.ports.metrics.orphanedPod();
      const failed = (error: unknown): void => this.options.ports.report(`stop of pod ${remains.uid}`, error);
      await this.#stopOrphan(remains).catch(failed);
    }
    this.#restored.clear();
    this.overrides.clear();
  }

  /** A quarantined pod runs on as it is, as long as it is wanted. */
  #isLeft(uid: string): boolean {
    return this.#desired.get(uid) !== undefined && this.options.quarantine.quarantineReason(uid) !== undefined;
  }

  async #stopOrphan(remains: PodRemains): Promise<void> {
    const worker = await this.#create(orphan(remains), remains);
    this.terminate(worker, { kind: "orphaned" });
    worker.start();
  }

  #take(wanted: DesiredPod): Promise<void> {
    const failed = (error: unknown): void => this.#failed(wanted.pod, "start", error);
    return handling(wanted.pod.metadata.uid, () => this.#takeNow(wanted).catch(failed));
  }

  /** An error of one pod is reported as that pod's, and the other pods continue. */
  #failed(pod: Pod, what: string, error: unknown): void {
    const { report, events } = this.options.ports;
    report(`${what} of pod ${podText(pod)}`, error);
    events.pod(pod, "Warning", "FailedSync", `error determining status: ${errorText(error)}`);
  }

  async #takeNow(wanted: DesiredPod): Promise<void> {
    if (this.#closed) return;
    const why = this.options.quarantine.quarantineReason(wanted.pod.metadata.uid);
    if (why !== undefined) {
      this.options.ports.events.pod(wanted.pod, "Warning", "Quarantined", why);
      return;
    }
    const { pod, source } = wanted;
    const { uid } = pod.metadata;
    const holder = this.workers.get(uid);
    if (holder !== undefined || this.#names.has(fullName(pod))) {
      this.#waiting.set(fullName(holder?.pod ?? pod), wanted);
      return;
    }
    const older = this.#restored.sameName(pod, this.workers);
    if (older !== undefined) {
      this.#waiting.set(fullName(pod), wanted);
      await this.#stopOrphan(older);
      return;
    }
    this.#sources.set(uid, source);
    const worker = await this.#create(pod, this.#restored.get(uid));
    const cause = this.#remembered.get(uid);
    if (cause !== undefined) this.terminate(worker, cause);
    if (isDeleted(pod)) this.terminate(worker, { kind: "deleted" }, pod.metadata.deletionGracePeriodSeconds);
    worker.start();
  }

  async #create(pod: Pod, remains: PodRemains | undefined): Promise<PodWorker> {
    const { ports, idPrefix, onChange } = this.options;
    const startTime = (remains === undefined ? undefined : firstSeen(remains)) ?? ports.clock.now();
    const worker = new PodWorker({ pod, ports, idPrefix, startTime, onChange, onGone: (gone) => this.#ended(gone) });
    this.workers.set(pod.metadata.uid, worker);
    this.#names.set(fullName(pod), pod.metadata.uid);
    for (const event of this.overrides.takeEarly(pod.metadata.uid)) {
      try {
        worker.dispatch(event);
      } catch (error) {
        this.#failed(pod, "taking over", error);
      }
    }
    if (remains !== undefined) await takeOver(worker, remains, ports);
    onChange(worker);
    return worker;
  }

  #ended(worker: PodWorker): void {
    const reported = this.options.onEnd(worker, this.sourceOf(worker.pod.metadata.uid));
    if (reported === undefined) this.#free(worker);
    else {
      reported
        .catch((error: unknown) => this.options.ports.report(`last status of pod ${podText(worker.pod)}`, error))
        .then(() => this.#free(worker))
        .catch((error: unknown) => this.options.ports.report(`end of pod ${podText(worker.pod)}`, error));
    }
  }

  #free(worker: PodWorker): void {
    const { uid } = worker.pod.metadata;
    const name = fullName(worker.pod);
    const wanted = this.#desired.get(uid);
    if (wanted !== undefined && isDeleted(wanted.pod)) this.#done.add(uid);
    this.workers.delete(uid);
    this.#sources.delete(uid);
    // A pod that comes back under this uid starts again.
    this.#restored.forget(uid);
    this.#pending.forget(uid);
    this.#remembered.delete(uid);
    if (this.#names.get(name) === uid) this.#names.delete(name);
    this.options.onGone(worker);
    const next = this.#waiting.get(name);
    if (next === undefined || this.#closed) return;
    this.#waiting.delete(name);
    this.#take(next).catch((error: unknown) => this.options.ports.report(`start of pod ${name}`, error));
  }

  /** Never throws: an error of one pod's state is reported as that pod's, and the other pods still end. */
  terminate(worker: PodWorker, cause: TerminationCause, gracePeriodSeconds?: number): void {
    const at = this.options.ports.clock.now();
    const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    try {
      worker.dispatch({ type: "terminate", cause, at, ...grace });
    } catch (error) {
      this.#failed(worker.pod, "stop", error);
    }
  }
}

import { namespacedName, type Pod } from "@hooklet/core";
import type { PodSource, SourceSink, StatusReport } from "@hooklet/core/host";
import { runsTheSame, saysTheSame } from "@hooklet/core/internal";

type Event = Parameters<NonNullable<PodSource["event"]>>[0];

/** The reports that an API server gets about its pods. */
export interface SourceWatchers {
  status(pod: Pod): void;
  event(event: Event): void;
  removed(pod: Pod): void;
}

export interface SimulatedSourceOptions {
  readonly name: string;
  /** The uid of a new pod, the n-th of its name from 0. Uids are not used again: the pod before may not be gone yet. */
  uidOf(pod: Pod, generation: number): string;
  /**
   * With them the source is like an API server: a pod that has failed, or was rejected, stays so for later agents. Without
   * them it is like a folder of manifests: each agent finds out the state of its pods itself.
   */
  readonly watchers?: SourceWatchers;
}

/** Pods that a test or a scenario applies. It outlives agents. */
export class SimulatedSource implements PodSource {
  readonly name: string;
  readonly status?: (report: StatusReport) => Promise<void>;
  readonly event?: (event: Event) => void;
  readonly removed?: (uid: string) => void;
  /** What plugins provide, once an agent has started the source. */
  provided: SourceSink["provided"] | undefined;
  /** Wanted, by `namespace/name`. */
  readonly #desired = new Map<string, Pod>();
  /** Every pod that the agent has not forgotten, by uid. */
  readonly #made = new Map<string, Pod>();
  /** Pods that have failed for good and are still wanted, with their status, by uid. */
  readonly #failed = new Map<string, Pod>();
  readonly #generations = new Map<string, number>();
  /** Uids delivered to the current agent. */
  #delivered = new Set<string>();
  #sink: SourceSink | undefined;

  constructor(private readonly options: SimulatedSourceOptions) {
    this.name = options.name;
    const { watchers } = options;
    if (watchers === undefined) return;
    this.status = async ({ pod }) => {
      // A pod that was not delivered to this agent is only cleaned up: the previous agent has reported its end.
      if (this.#failed.has(pod.metadata.uid) && !this.#delivered.has(pod.metadata.uid)) return;
      const isWanted = this.#desired.get(namespacedName(pod.metadata))?.metadata.uid === pod.metadata.uid;
      if (isWanted && pod.status?.phase === "Failed") this.#failed.set(pod.metadata.uid, pod);
      watchers.status(pod);
    };
    this.event = (event) => watchers.event(event);
    this.removed = (uid) => this.#removed(uid);
  }

  async start(sink: SourceSink): Promise<void> {
    this.#sink = sink;
    this.provided = sink.provided;
    const pods = [...this.#desired.values()].filter(({ metadata }) => !this.#failed.has(metadata.uid));
    this.#delivered = new Set(pods.map(({ metadata }) => metadata.uid));
    sink.desired(pods);
  }

  async stop(): Promise<void> {
    this.#sink = undefined;
  }

  /** A pod with another spec takes the place of the one of its name. */
  apply(pod: Pod): void {
    const key = namespacedName(pod.metadata);
    const before = this.#desired.get(key);
    if (before !== undefined && saysTheSame(before, pod)) return;
    if (before !== undefined && runsTheSame(before, pod)) {
      this.#relabel(key, withUid(pod, before.metadata.uid));
      return;
    }
    const generation = this.#generations.get(key) ?? 0;
    this.#generations.set(key, generation + 1);
    this.#put(key, withUid(pod, this.options.uidOf(pod, generation)), before);
    if (before !== undefined) this.#forget(before.metadata.uid);
  }

  /** `namespace/name`, or a name in `default`. @throws Error naming the existing pods */
  delete(name: string): void {
    const key = this.#key(name);
    const { uid } = (this.#desired.get(key) as Pod).metadata;
    this.#desired.delete(key);
    this.#sink?.changed({ removed: [{ uid }] });
    this.#forget(uid);
  }

  /** Of some of them this agent need not know. */
  failed(): readonly Pod[] {
    return [...this.#failed.values()];
  }

  /** Uid of a pod of this source. @throws Error naming the existing pods */
  uidOf(name: string): string {
    return (this.#desired.get(this.#key(name)) as Pod).metadata.uid;
  }

  /** The pod of a uid, until the agent has forgotten it. */
  spec(uid: string): Pod | undefined {
    return this.#made.get(uid);
  }

  #key(name: string): string {
    const key = name.includes("/") ? name : `default/${name}`;
    if (this.#desired.has(key)) return key;
    const known = [...this.#desired.keys()];
    throw new Error(
      `there is no pod ${key}; there ${known.length === 1 ? "is" : "are"} ${known.slice(0, 20).join(", ") || "none"}`,
    );
  }

  #removed(uid: string): void {
    const pod = this.#made.get(uid);
    if (pod !== undefined && this.#desired.get(namespacedName(pod.metadata)) === pod) return;
    this.#made.delete(uid);
    this.#delivered.delete(uid);
    if (pod !== undefined) this.options.watchers?.removed(pod);
  }

  /** It runs on under other labels. */
  #relabel(key: string, pod: Pod): void {
    const { uid } = pod.metadata;
    const failed = this.#failed.get(uid);
    if (failed === undefined || this.#delivered.has(uid)) {
      this.#put(key, pod);
      return;
    }
    // It stays failed: an agent that gets it would run it again.
    this.#keep(key, pod);
    this.#failed.set(uid, { ...pod, ...(failed.status && { status: failed.status }) });
  }

  /** It is not wanted any more. */
  #forget(uid: string): void {
    const had = this.#failed.delete(uid);
    // An agent that did not get the pod does not report its end.
    if (had && !this.#delivered.has(uid)) this.#removed(uid);
  }

  #keep(key: string, pod: Pod): void {
    this.#desired.set(key, pod);
    this.#made.set(pod.metadata.uid, pod);
  }

  #put(key: string, pod: Pod, before?: Pod): void {
    this.#keep(key, pod);
    this.#delivered.add(pod.metadata.uid);
    const removed = before === undefined ? {} : { removed: [{ uid: before.metadata.uid }] };
    this.#sink?.changed({ set: [pod], ...removed });
  }
}

function withUid(pod: Pod, uid: string): Pod {
  return { ...pod, metadata: { ...pod.metadata, uid } };
}

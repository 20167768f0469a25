/**
 * The pods of a scenario as a source that is like an API server: it outlives agents, and a pod that has failed, or was never let in, stays
 * so, whatever agent comes. What became of other pods the agent knows itself.
 */
import { createHash } from "node:crypto";
import { namespacedName, type Pod } from "@hooklet/core";
import { type PodSource, runsTheSame, type SourceSink, type StatusReport, saysTheSame } from "@hooklet/core/host";
import type { Event } from "kubernetes-types/core/v1.js";
import type { Applied } from "../scenario/pods.js";

export interface SourceWatchers {
  status(pod: Pod): void;
  event(event: Event): void;
  removed(pod: Pod): void;
}

export class ScenarioSource implements PodSource {
  readonly name = "scenario";
  /** Wanted, by `namespace/name`. */
  readonly #wanted = new Map<string, Pod>();
  /** Every pod that the agent has not forgotten, by uid. */
  readonly #made = new Map<string, Pod>();
  /** Pods that have failed for good and are still wanted, with their status, by uid. */
  readonly #failed = new Map<string, Pod>();
  readonly #generations = new Map<string, number>();
  /** Uids that the agent of now has been told of. */
  #delivered = new Set<string>();
  #sink: SourceSink | undefined;

  constructor(
    private readonly options: {
      readonly nodeName: string;
      readonly seed: number;
      readonly now: () => number;
      readonly watchers: SourceWatchers;
    },
  ) {}

  async start(sink: SourceSink): Promise<void> {
    this.#sink = sink;
    const pods = [...this.#wanted.values()].filter(({ metadata }) => !this.#failed.has(metadata.uid));
    this.#delivered = new Set(pods.map(({ metadata }) => metadata.uid));
    sink.desired(pods);
  }

  async stop(): Promise<void> {
    this.#sink = undefined;
  }

  async status({ pod }: StatusReport): Promise<void> {
    // What this agent was not told of it only clears away: what became of it was told by the one before.
    if (this.#failed.has(pod.metadata.uid) && !this.#delivered.has(pod.metadata.uid)) return;
    const isWanted = this.#wanted.get(namespacedName(pod.metadata))?.metadata.uid === pod.metadata.uid;
    if (isWanted && pod.status?.phase === "Failed") this.#failed.set(pod.metadata.uid, pod);
    this.options.watchers.status(pod);
  }

  event(event: Event): void {
    this.options.watchers.event(event);
  }

  removed(uid: string): void {
    const pod = this.#made.get(uid);
    if (pod !== undefined && this.#wanted.get(namespacedName(pod.metadata)) === pod) return;
    this.#made.delete(uid);
    this.#delivered.delete(uid);
    if (pod !== undefined) this.options.watchers.removed(pod);
  }

  /** A pod with another spec takes the place of the one of its name. */
  apply({ key, pod }: Applied): void {
    const before = this.#wanted.get(key);
    const generation = this.#generations.get(key) ?? 0;
    const made = this.#make(pod, before?.metadata.uid ?? this.#uid(key, generation));
    if (before !== undefined && saysTheSame(before, made)) return;
    if (before !== undefined && runsTheSame(before, made)) {
      const failed = this.#failed.get(before.metadata.uid);
      if (failed === undefined || this.#delivered.has(before.metadata.uid)) {
        this.#put(key, made);
        return;
      }
      // It stays failed, under other labels: an agent that is told of it would run it again.
      this.#keep(key, made);
      this.#failed.set(made.metadata.uid, { ...made, ...(failed.status && { status: failed.status }) });
      return;
    }
    this.#generations.set(key, generation + 1);
    this.#put(key, this.#make(pod, this.#uid(key, generation)), before);
    if (before !== undefined) this.#forget(before.metadata.uid);
  }

  /** `namespace/name`, or a name in `default`. @throws Error naming what is there */
  delete(name: string): void {
    const key = this.#key(name);
    const pod = this.#wanted.get(key) as Pod;
    const { uid } = pod.metadata;
    this.#wanted.delete(key);
    this.#sink?.changed({ removed: [{ uid }] });
    this.#forget(uid);
  }

  /** Of some of them this agent need not know. */
  failed(): readonly Pod[] {
    return [...this.#failed.values()];
  }

  /** Uid of a pod that is wanted. @throws Error naming what is there */
  uidOf(name: string): string {
    return (this.#wanted.get(this.#key(name)) as Pod).metadata.uid;
  }

  /** The pod of a uid, until the agent has forgotten it. */
  spec(uid: string): Pod | undefined {
    return this.#made.get(uid);
  }

  #key(name: string): string {
    const key = name.includes("/") ? name : `default/${name}`;
    if (this.#wanted.has(key)) return key;
    const known = [...this.#wanted.keys()];
    throw new Error(
      `there is no pod ${key}; there ${known.length === 1 ? "is" : "are"} ${known.slice(0, 20).join(", ") || "none"}`,
    );
  }

  /** It is not wanted any more. */
  #forget(uid: string): void {
    const had = this.#failed.delete(uid);
    // An agent that was not told of it will not tell that it is gone.
    if (had && !this.#delivered.has(uid)) this.removed(uid);
  }

  #keep(key: string, pod: Pod): void {
    this.#wanted.set(key, pod);
    this.#made.set(pod.metadata.uid, pod);
  }

  #put(key: string, pod: Pod, before?: Pod): void {
    this.#keep(key, pod);
    this.#delivered.add(pod.metadata.uid);
    const removed = before === undefined ? {} : { removed: [{ uid: before.metadata.uid }] };
    this.#sink?.changed({ set: [pod], ...removed });
  }

  #make(pod: Pod, uid: string): Pod {
    const { nodeName, now } = this.options;
    const seen = "kubernetes.io/config.seen";
    const annotations = { ...pod.metadata.annotations, [seen]: new Date(now()).toISOString() };
    return { ...pod, metadata: { ...pod.metadata, uid, annotations }, spec: { ...pod.spec, nodeName } };
  }

  #uid(key: string, generation: number): string {
    const { seed } = this.options;
    const hash = createHash("md5").update(`${seed}/${key}/${generation}`).digest("hex");
    return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }
}

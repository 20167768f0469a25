/** What the sources want, by uid and by name. A single change costs what it changes, however many pods there are. */
import { namespacedName, type Pod } from "@hooklet/manifest";
import type { PodChanges } from "../../sources/port.js";

export const fullName = ({ metadata }: Pod): string => namespacedName(metadata);

/** What a change was about: everything else stands as it did. */
export interface Touched {
  readonly uids: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

export interface DesiredPod {
  readonly source: string;
  readonly pod: Pod;
}

class Touch implements Touched {
  readonly uids = new Set<string>();
  readonly names = new Set<string>();

  add(pod: Pod): void {
    this.uids.add(pod.metadata.uid);
    this.names.add(fullName(pod));
  }
}

export class DesiredState {
  /** Source -> uid -> pod. */
  readonly #sets = new Map<string, Map<string, Pod>>();
  /** Uid -> source -> pod: two sources may want the same one. */
  readonly #byUid = new Map<string, Map<string, Pod>>();
  /** Full name -> uids. */
  readonly #byName = new Map<string, Set<string>>();

  /** The whole set of one source. */
  replace(source: string, pods: readonly Pod[]): Touched {
    const touch = new Touch();
    const next = new Map(pods.map((pod) => [pod.metadata.uid, pod]));
    for (const [uid] of this.#sets.get(source) ?? []) if (!next.has(uid)) this.#drop(source, uid, touch);
    for (const pod of next.values()) this.#put(source, pod, touch);
    return touch;
  }

  /** Single changes of one source's set: what is removed first, so that a name is free for its successor. */
  change(source: string, { set = [], removed = [] }: PodChanges): Touched {
    const touch = new Touch();
    for (const { uid } of removed) this.#drop(source, uid, touch);
    for (const pod of set) this.#put(source, pod, touch);
    return touch;
  }

  /** Of two sources that want one uid the first one counts. */
  get(uid: string): DesiredPod | undefined {
    for (const [source, pod] of this.#byUid.get(uid) ?? []) return { source, pod };
    return undefined;
  }

  /** All that is wanted under a name, in the order of coming. */
  named(name: string): readonly DesiredPod[] {
    const wanted = [...(this.#byName.get(name) ?? [])].flatMap((uid) => this.get(uid) ?? []);
    // Of two sources that want one uid each may name it otherwise.
    return wanted.filter(({ pod }) => fullName(pod) === name);
  }

  /**
   * Of the pods that are wanted under one name the one that counts, and the others: the running one counts, else the first.
   * @param workers of running pods, by uid
   * @param done uids that a source wants deleted, and that are
   */
  winner(
    name: string,
    workers: ReadonlyMap<string, unknown>,
    done: ReadonlySet<string>,
  ): { readonly winner: DesiredPod | undefined; readonly others: readonly DesiredPod[] } {
    const all = this.named(name).filter(({ pod }) => !done.has(pod.metadata.uid));
    const winner = all.find(({ pod }) => workers.has(pod.metadata.uid)) ?? all[0];
    return { winner, others: all.filter((one) => one !== winner) };
  }

  #put(source: string, pod: Pod, touch: Touch): void {
    const { uid } = pod.metadata;
    const set = this.#sets.get(source) ?? new Map<string, Pod>();
    this.#sets.set(source, set);
    const before = set.get(uid);
    if (before === pod) return;
    if (before !== undefined && fullName(before) !== fullName(pod)) this.#unname(before, touch);
    set.set(uid, pod);
    const sources = this.#byUid.get(uid) ?? new Map<string, Pod>();
    this.#byUid.set(uid, sources.set(source, pod));
    const uids = this.#byName.get(fullName(pod)) ?? new Set<string>();
    this.#byName.set(fullName(pod), uids.add(uid));
    touch.add(pod);
  }

  #drop(source: string, uid: string, touch: Touch): void {
    const pod = this.#sets.get(source)?.get(uid);
    if (pod === undefined) return;
    this.#sets.get(source)?.delete(uid);
    const sources = this.#byUid.get(uid);
    sources?.delete(source);
    touch.add(pod);
    if ((sources?.size ?? 0) > 0) return;
    this.#byUid.delete(uid);
    this.#unname(pod, touch);
  }

  #unname(pod: Pod, touch: Touch): void {
    const name = fullName(pod);
    touch.names.add(name);
    const uids = this.#byName.get(name);
    uids?.delete(pod.metadata.uid);
    if (uids?.size === 0) this.#byName.delete(name);
  }
}

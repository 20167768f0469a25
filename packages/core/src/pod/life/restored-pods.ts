/** What the runtime had when the agent started, by uid and by name: pods that come are adopted from it. */
import { isCriticalPod, type Pod } from "@hooklet/manifest";
import { inTurns } from "@hooklet/utils";
import { SOURCE_ANNOTATION } from "../holds.js";
import { orphan, type PodRemains } from "./adopt.js";
import { type DesiredPod, fullName } from "./desired-state.js";

export class RestoredPods {
  readonly #pods = new Map<string, PodRemains>();
  readonly #byName = new Map<string, PodRemains[]>();

  /** Replaces what was known. */
  found(remains: Iterable<PodRemains>): void {
    this.clear();
    for (const one of remains) {
      this.#pods.set(one.uid, one);
      const name = fullName(orphan(one));
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), one]);
    }
  }

  clear(): void {
    this.#pods.clear();
    this.#byName.clear();
  }

  get(uid: string): PodRemains | undefined {
    return this.#pods.get(uid);
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  forget(uid: string): void {
    this.#pods.delete(uid);
  }

  all(): readonly PodRemains[] {
    return [...this.#pods.values()];
  }

  sourceOf(uid: string): string | undefined {
    return this.#pods.get(uid)?.sandboxes.at(-1)?.annotations[SOURCE_ANNOTATION];
  }

  /**
   * Takes running pods before others, and critical pods before others: admission is by arrival, as in the kubelet. A higher
   * priority starts earlier here, but does not take the place of another pod.
   */
  async first(pods: readonly DesiredPod[], take: (one: DesiredPod) => Promise<void>): Promise<void> {
    const ran: DesiredPod[] = [];
    const others: DesiredPod[] = [];
    for (const one of pods) (this.has(one.pod.metadata.uid) ? ran : others).push(one);
    await Promise.all(ran.map(take));
    const rank = ({ pod }: DesiredPod): number => (isCriticalPod(pod) ? 0 : 1);
    await inTurns(
      others.toSorted((a, b) => rank(a) - rank(b)),
      take,
    );
  }

  /** A pod of the same name and another uid that is not taken over: the manifest changed while no agent ran. */
  sameName(pod: Pod, workers: ReadonlyMap<string, unknown>): PodRemains | undefined {
    const sameName = this.#byName.get(fullName(pod)) ?? [];
    return sameName.find(({ uid }) => uid !== pod.metadata.uid && this.#pods.has(uid) && !workers.has(uid));
  }
}

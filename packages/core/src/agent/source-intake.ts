/** What one source says, checked and frozen; kept while nothing is started yet. */
import type { Pod } from "@hooklet/manifest";
import { foundText, invalid } from "../errors.js";
import { deepFreeze } from "../lib/freeze.js";
import type { PodChanges } from "../sources/port.js";

/** Far more than a node can run; a guard against nonsense. */
const MAX_PODS = 10_000;

export class SourceIntake {
  #set: Map<string, Pod> | undefined;
  /** Changes that came before the first whole set. */
  readonly #early = new Map<string, Pod | undefined>();
  #spoken = false;
  #released = false;

  /** The first whole set has come. */
  get hasSpoken(): boolean {
    return this.#spoken;
  }

  pods(): readonly Pod[] {
    return [...(this.#set?.values() ?? [])];
  }

  /** The whole set as it is now; from here on it is the pods' owner who knows it. */
  release(): readonly Pod[] {
    const pods = this.pods();
    this.#released = true;
    this.#set = undefined;
    return pods;
  }

  /** @throws NodeAgentError INVALID; the former set stays */
  replace(pods: readonly Pod[]): readonly Pod[] {
    if (!Array.isArray(pods)) throw invalid("pods of a source", "a list", pods);
    if (pods.length > MAX_PODS) throw invalid("pods of a source", `at most ${MAX_PODS}`, pods.length);
    const set = new Map(pods.map((pod) => [checked(pod).metadata.uid, pod]));
    for (const [uid, pod] of this.#early) {
      if (pod === undefined) set.delete(uid);
      else set.set(uid, pod);
    }
    this.#early.clear();
    this.#spoken = true;
    if (!this.#released) this.#set = set;
    return [...set.values()];
  }

  /**
   * The changes, checked; undefined when they wait for the first whole set.
   * @throws NodeAgentError INVALID; none of them is taken
   */
  change({ set = [], removed = [] }: PodChanges): PodChanges | undefined {
    if (set.length + removed.length > MAX_PODS) {
      throw invalid("changes of a source", `at most ${MAX_PODS} pods`, set.length + removed.length);
    }
    for (const pod of set) checked(pod);
    for (const { uid, gracePeriodSeconds } of removed) {
      if (typeof uid !== "string") throw invalid("uid of a pod that is removed", "a text", uid);
      if (gracePeriodSeconds !== undefined && !(Number.isInteger(gracePeriodSeconds) && gracePeriodSeconds >= 0)) {
        throw invalid("gracePeriodSeconds", "whole seconds, 0 or more", gracePeriodSeconds);
      }
    }
    if (this.#released) return { set, removed };
    if (this.#set !== undefined) {
      for (const { uid } of removed) this.#set.delete(uid);
      for (const pod of set) this.#set.set(pod.metadata.uid, pod);
      return { set, removed };
    }
    if (this.#early.size + set.length + removed.length > MAX_PODS) {
      throw invalid("changes before the first whole set", `at most ${MAX_PODS} pods`, this.#early.size);
    }
    for (const { uid } of removed) this.#early.set(uid, undefined);
    for (const pod of set) this.#early.set(pod.metadata.uid, pod);
    return undefined;
  }
}

/** Frozen from here on: nobody changes a pod, a changed manifest is another object. */
function checked(pod: Pod): Pod {
  const { metadata, spec } = (pod ?? {}) as Partial<Pod>;
  const texts = [metadata?.name, metadata?.namespace, metadata?.uid];
  if (!texts.every((text) => typeof text === "string" && text !== "") || !Array.isArray(spec?.containers)) {
    throw invalid("a pod of a source", "metadata with name, namespace and uid, and spec.containers", foundText(pod));
  }
  return deepFreeze(pod);
}

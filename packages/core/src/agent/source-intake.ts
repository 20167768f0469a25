/** The pods of one source, validated, counted and frozen; buffered until the agent starts pods. */
import { namespacedName, type Pod, podText, wrongName, wrongValue } from "@hooklet/manifest";
import { deepFreeze, foundText, invalid } from "@hooklet/utils";
import type { Rejection } from "../hooks/verdict.js";
import type { PodChanges } from "../sources/port.js";

/** Far more than a node can run; a guard against nonsense. */
const MAX_PODS = 10_000;
/** Of all pods of one source, as JSON. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Pods rejected for their uid that are accepted later without a new delivery. */
const MAX_WAITING = 256;
const BOUNDS = `${MAX_PODS} pods and ${MAX_BYTES / 1024 / 1024} MiB`;

export interface IntakePorts {
  /** The other source whose pod this is. */
  owner(uid: string): string | undefined;
  /** A pod that is not taken. Called each time the source brings it. */
  refused(pod: Pod, why: Rejection): void;
  /** The source brings more than the agent takes; what is beyond is left out. */
  full(message: string): void;
}

export class SourceIntake {
  #set: Map<string, Pod> | undefined;
  /** Changes that came before the first whole set. */
  readonly #early = new Map<string, Pod | undefined>();
  /** Uid -> bytes of what the source wants now. */
  readonly #sizes = new Map<string, number>();
  /** Pods whose uid another source has: taken once it is free. */
  readonly #waiting = new Map<string, Pod>();
  #bytes = 0;
  #spoken = false;
  #released = false;

  constructor(private readonly ports: IntakePorts) {}

  /** The first whole set has come. */
  get hasSpoken(): boolean {
    return this.#spoken;
  }

  pods(): readonly Pod[] {
    return [...(this.#set?.values() ?? [])];
  }

  /** The whole current set; from now on the pod manager owns it. */
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
    this.#waiting.clear();
    const set = new Map(this.#taken(pods).map((pod) => [pod.metadata.uid, pod]));
    for (const [uid, pod] of this.#early) {
      if (pod === undefined) set.delete(uid);
      else set.set(uid, pod);
    }
    const sizes = new Map([...set].map(([uid, pod]) => [uid, sizeOf(pod)]));
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    if (bytes > MAX_BYTES || sizes.size > MAX_PODS) {
      throw invalid("pods of a source", `at most ${BOUNDS}`, `${sizes.size} pods with ${bytes} bytes`);
    }
    this.#early.clear();
    this.#sizes.clear();
    for (const [uid, size] of sizes) this.#sizes.set(uid, size);
    this.#bytes = bytes;
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
    for (const { uid, gracePeriodSeconds } of removed) {
      if (typeof uid !== "string") throw invalid("uid of a pod that is removed", "a text", uid);
      if (gracePeriodSeconds !== undefined && !(Number.isInteger(gracePeriodSeconds) && gracePeriodSeconds >= 0)) {
        throw invalid("gracePeriodSeconds", "whole seconds, 0 or more", gracePeriodSeconds);
      }
    }
    const named = this.#taken(set);
    for (const { uid } of removed) {
      this.#drop(uid);
      this.#waiting.delete(uid);
    }
    const taken = named.filter((pod) => this.#count(pod));
    if (this.#released) return { set: taken, removed };
    if (this.#set !== undefined) {
      for (const { uid } of removed) this.#set.delete(uid);
      for (const pod of taken) this.#set.set(pod.metadata.uid, pod);
      return { set: taken, removed };
    }
    if (this.#early.size + set.length + removed.length > MAX_PODS) {
      throw invalid("changes before the first whole set", `at most ${MAX_PODS} pods`, this.#early.size);
    }
    for (const { uid } of removed) this.#early.set(uid, undefined);
    for (const pod of taken) this.#early.set(pod.metadata.uid, pod);
    return undefined;
  }

  /** Those whose names and values are as Kubernetes has them: the others cost themselves alone. */
  #taken(pods: readonly Pod[]): readonly Pod[] {
    return pods.map(checked).filter((pod) => {
      const why = refusal(pod) ?? this.#foreign(pod);
      if (why !== undefined) this.ports.refused(pod, why);
      else this.#waiting.delete(pod.metadata.uid);
      return why === undefined;
    });
  }

  /** A pod keeps the source that it has: with its uid go its volumes and what runs of it. */
  #foreign(pod: Pod): Rejection | undefined {
    const { metadata } = pod;
    const owner = this.ports.owner(metadata.uid);
    if (owner === undefined) return undefined;
    this.#wait(pod);
    const message = `pod ${namespacedName(metadata)} has the uid ${metadata.uid} of a pod of source ${owner}. Give it another uid`;
    return { reason: "DuplicateUid", message };
  }

  /** Pods that were refused for their uid and may be brought again: no other source has it any more. */
  freed(): readonly Pod[] {
    return [...this.#waiting.values()].filter(({ metadata }) => this.ports.owner(metadata.uid) === undefined);
  }

  #wait(pod: Pod): void {
    this.#waiting.delete(pod.metadata.uid);
    const bytes = [...this.#waiting.values()].reduce((sum, one) => sum + sizeOf(one), sizeOf(pod));
    if (bytes <= MAX_BYTES && this.#waiting.size < MAX_WAITING) this.#waiting.set(pod.metadata.uid, pod);
  }

  /** The source wants a pod of this uid. */
  has(uid: string): boolean {
    return this.#sizes.has(uid);
  }

  #drop(uid: string): void {
    this.#bytes -= this.#sizes.get(uid) ?? 0;
    this.#sizes.delete(uid);
  }

  /** False: the source has too many pods. A known pod stays as it was. */
  #count(pod: Pod): boolean {
    const { uid } = pod.metadata;
    const size = sizeOf(pod);
    const before = this.#sizes.get(uid);
    const pods = this.#sizes.size + (before === undefined ? 1 : 0);
    const bytes = this.#bytes + size - (before ?? 0);
    // A pod with a deletionTimestamp is always accepted: its end frees a place.
    const ends = before !== undefined && pod.metadata.deletionTimestamp !== undefined;
    if (!ends && (pods > MAX_PODS || bytes > MAX_BYTES)) {
      this.ports.full(
        `it wants more than ${BOUNDS}: hooklet leaves out what comes beyond that. Remove pods of this source`,
      );
      return false;
    }
    this.#sizes.set(uid, size);
    this.#bytes = bytes;
    return true;
  }
}

function refusal(pod: Pod): Rejection | undefined {
  const name = wrongName(pod);
  if (name !== undefined) return { reason: "InvalidName", message: name };
  try {
    sizeOf(pod);
  } catch {
    return { reason: "InvalidValue", message: `pod ${podText(pod)} cannot be written as JSON: it is too deep` };
  }
  const value = wrongValue(pod);
  return value === undefined ? undefined : { reason: "InvalidValue", message: value };
}

const sizes = new WeakMap<Pod, number>();

function sizeOf(pod: Pod): number {
  const known = sizes.get(pod);
  if (known !== undefined) return known;
  const size = Buffer.byteLength(JSON.stringify(pod));
  sizes.set(pod, size);
  return size;
}

/** Frozen: pods are immutable, a changed manifest is another object. */
function checked(pod: Pod): Pod {
  const { metadata, spec } = (pod ?? {}) as Partial<Pod>;
  const texts = [metadata?.name, metadata?.namespace, metadata?.uid];
  if (!texts.every((text) => typeof text === "string" && text !== "") || !Array.isArray(spec?.containers)) {
    throw invalid("a pod of a source", "metadata with name, namespace and uid, and spec.containers", foundText(pod));
  }
  return deepFreeze(pod);
}

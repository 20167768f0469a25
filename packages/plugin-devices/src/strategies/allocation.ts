/** The strategy point `allocation`: which devices a container gets. Pure. */
import type { Container, Pod } from "@hooklet/core";
import { isRecord } from "@hooklet/core/subsystem";

export interface AllocationInput {
  /** The pod, frozen. */
  readonly pod: Pod;
  /** The container that gets the devices. */
  readonly container: Container;
  /** The extended resource, such as `vendor.example/gpu`. */
  readonly resource: string;
  /** How many devices the container gets, including those of `mustInclude`. */
  readonly size: number;
  /** The healthy and free devices, including those of `mustInclude`; at least `size`. In natural order of id. */
  readonly candidates: readonly Candidate[];
  /** Devices of the pod's init containers, which go to this container first. Never more than `size`. */
  readonly mustInclude: readonly string[];
  /** The NUMA nodes that the topology manager chose for the container; undefined without a choice. */
  readonly affinity: readonly number[] | undefined;
  /** Whether the device plugin can state a preference (its call GetPreferredAllocation). */
  readonly canAsk: boolean;
  /** The device plugin's answer; undefined before it was asked. May name devices that are no candidates. */
  readonly preferred: readonly string[] | undefined;
}

export interface Candidate {
  /** The id that the device plugin gave it. */
  readonly id: string;
  /** NUMA nodes that the device is close to; empty without topology. */
  readonly nodes: readonly number[];
  /** Health as the device plugin reports it: `Healthy`, except for a device that the pod has already. */
  readonly health: string;
  /** `reusable`: an init container of this pod has had it. `aligned`, `unaligned`: on the NUMA nodes of `affinity`, or not. `no-topology`: unknown. */
  readonly place: Place;
}

export type Place = "reusable" | "aligned" | "unaligned" | "no-topology";

/** What to ask the device plugin (GetPreferredAllocation). The strategy is called again with its answer. */
export interface Question {
  readonly available: readonly string[];
  readonly mustInclude: readonly string[];
  readonly size: number;
}

/**
 * Chooses devices: ids of candidates, or once a question for the device plugin. Pure. The answer is checked
 * (`violation`); one that is wrong is replaced by that of strategy `kubelet`, with an event that names the strategy.
 */
export type AllocationStrategy = (input: AllocationInput) => readonly string[] | { readonly ask: Question };

/** What is wrong with a strategy's answer, a question among them; undefined when it may be used. For tests of your own strategy. */
export function allocationFault(answer: unknown, input: AllocationInput): string | undefined {
  if (!isQuestion(answer)) return violation(answer, input);
  if (!input.canAsk) return "asked a device plugin that gives no preference";
  return input.preferred === undefined ? undefined : "asked the device plugin twice";
}

/**
 * What is wrong with a strategy's choice; undefined when it may be used. It has to take `size` different candidates, all
 * of `mustInclude`, and no device off the chosen NUMA nodes while one on them is left.
 */
export function violation(chosen: unknown, input: AllocationInput): string | undefined {
  const { size, candidates, mustInclude, affinity } = input;
  if (!Array.isArray(chosen))
    return `returned ${chosen === null ? "null" : typeof chosen}, expected a list of device ids`;
  const taken = new Set<unknown>();
  for (const id of chosen as readonly unknown[]) {
    if (taken.has(id)) return `chose ${shown(id)} twice`;
    taken.add(id);
  }
  const found = candidates.filter(({ id }) => taken.has(id));
  if (found.length < taken.size) {
    const known = new Set<unknown>(found.map(({ id }) => id));
    return `chose ${shown([...taken].find((id) => !known.has(id)))}, which is no candidate`;
  }
  if (taken.size !== size) return `chose ${taken.size} devices, expected ${size}`;
  const left = mustInclude.find((id) => !taken.has(id));
  if (left !== undefined) return `left out ${shown(left)}, which an init container of the pod gives on`;
  if (affinity === undefined) return undefined;
  const stray = found.find(({ place }) => place === "unaligned" || place === "no-topology");
  const spared = stray && candidates.find(({ id, place }) => place === "aligned" && !taken.has(id));
  if (stray === undefined || spared === undefined) return undefined;
  return `took ${shown(stray.id)} though ${shown(spared.id)} lies on the chosen NUMA nodes`;
}

export function isQuestion(answer: unknown): answer is { readonly ask: Question } {
  return isRecord(answer) && "ask" in answer;
}

function shown(id: unknown): string {
  const text = JSON.stringify(id) ?? typeof id;
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** What the adapters of preemption share. */
import { kubelet, type Requirement, selectVictims } from "@hooklet/plugin-preemption/internal";
import { type RawPod, toPod } from "./pods.js";

export interface RawRequirement {
  readonly resource: string;
  readonly value: number;
}

export function toRequirements(raw: readonly RawRequirement[]): readonly Requirement[] {
  return raw.map(({ resource, value }) => ({ resource, quantity: value }));
}

export interface Chosen {
  readonly names: readonly string[];
  readonly failure: string | undefined;
}

/** The kubelet's choice; names in the order of the kills. */
export function chosen(preemptor: RawPod, pods: readonly RawPod[], requirements: readonly Requirement[]): Chosen {
  const { victims, failure } = selectVictims({
    preemptor: toPod(preemptor),
    pods: pods.map(({ metadata, ...rest }, index) => toPod({ metadata: { uid: `${index}`, ...metadata }, ...rest })),
    requirements,
    strategy: kubelet,
    strategyName: "kubelet",
    now: 0,
  });
  return { names: victims.map(({ pod }) => pod.metadata.name), failure };
}

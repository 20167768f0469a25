/** Pods and nodes of the vectors, which leave out what does not matter to a case, as hooklet holds them. */
import type { Container, NodeFacts, Pod } from "@hooklet/core";
import { parseList, type QuantityTexts, toResources } from "@hooklet/core/rules";

export interface RawPod {
  readonly metadata?: Partial<Pod["metadata"]>;
  readonly spec?: Partial<Pod["spec"]>;
  readonly status?: Pod["status"];
}

export interface RawNode {
  readonly metadata?: { readonly name?: string; readonly labels?: Record<string, string> };
  readonly spec?: { readonly taints?: NodeFacts["taints"] };
  readonly status?: { readonly allocatable?: QuantityTexts; readonly features?: NodeFacts["features"] };
}

export function toPod({ metadata, spec, status }: RawPod): Pod {
  return {
    metadata: { name: "", namespace: "", uid: "", ...metadata },
    spec: { ...spec, containers: spec?.containers ?? [] },
    ...(status ? { status } : {}),
  } as Pod;
}

/** @throws Error when the pod has none of that name */
export function containerNamed(pod: Pod, name: string): Container {
  const found = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find((one) => one.name === name);
  if (found === undefined) throw new Error(`the pod has no container ${name}`);
  return found;
}

export function toNodeFacts({ metadata, spec, status }: RawNode): NodeFacts {
  return {
    name: metadata?.name ?? "",
    labels: metadata?.labels ?? {},
    taints: spec?.taints ?? [],
    allocatable: toResources(parseList(status?.allocatable)),
    os: "linux",
    ...(status?.features ? { features: status.features } : {}),
  };
}

/** `<this-os>` stands for the machine's own. */
export function withThisOs<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll("<this-os>", "linux")) as T;
}

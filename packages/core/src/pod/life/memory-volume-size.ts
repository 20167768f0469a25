import { type Pod, parseQuantity, podLimitList, quantityValue } from "@hooklet/manifest";
import type { Volume } from "kubernetes-types/core/v1.js";

/**
 * Bytes that an emptyDir of medium Memory may hold: the least of the node's allocatable memory, the pod's memory limit and the
 * volume's own (the kubelet's calculateEmptyDirMemorySize). A limit counts for the pod when all of its containers have one.
 * Pure. `allocatable`: bytes; undefined = not known, then it does not count. Undefined = nothing bounds it.
 */
export function memoryVolumeSize(
  pod: Pick<Pod, "spec">,
  { emptyDir }: Volume,
  allocatable: number | undefined,
): number | undefined {
  const own = emptyDir?.sizeLimit === undefined ? undefined : quantityValue(parseQuantity(String(emptyDir.sizeLimit)));
  const known = [allocatable, podMemoryLimit(pod), own].filter((bytes) => bytes !== undefined && bytes > 0);
  return known.length === 0 ? undefined : Math.min(...(known as number[]));
}

function podMemoryLimit(pod: Pick<Pod, "spec">): number | undefined {
  const {
    containers,
    initContainers = [],
    resources,
  } = pod.spec as Pod["spec"] & { resources?: Container["resources"] | undefined };
  const all = [...containers, ...initContainers];
  const isBounded =
    resources?.limits?.memory !== undefined || all.every((own) => own.resources?.limits?.memory !== undefined);
  if (!isBounded) return undefined;
  const limit = podLimitList(pod as Pod).get("memory");
  return limit && quantityValue(limit);
}

type Container = Pod["spec"]["containers"][number];

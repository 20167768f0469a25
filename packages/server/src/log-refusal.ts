/** Why a container has no log, with the kubelet's messages (validateContainerLogStatus). Pure. */
import type { Pod } from "@hooklet/manifest";
import type { ContainerStatus } from "kubernetes-types/core/v1.js";

/** Undefined: it has one, or may have. */
export function logRefusal({ metadata, status }: Pod, container: string, previous: boolean): string | undefined {
  const named = `container "${container}" in pod "${metadata.name}"`;
  const all = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const found = all.find(({ name }) => name === container);
  if (found === undefined) return `${named} is not available`;
  const { state, lastState } = found;
  if (previous) {
    return lastState?.terminated?.containerID
      ? undefined
      : `previous terminated container "${container}" in pod "${metadata.name}" not found`;
  }
  if (state?.running !== undefined) return undefined;
  if (state?.terminated !== undefined || lastState?.terminated !== undefined) {
    return state?.terminated?.containerID || lastState?.terminated?.containerID ? undefined : `${named} is terminated`;
  }
  return `${named} is waiting to start${waitsFor(found)}`;
}

function waitsFor({ state }: ContainerStatus): string {
  const reason = state?.waiting?.reason;
  switch (reason) {
    case undefined:
      return " - no logs yet";
    case "ErrImagePull":
      return ": image can't be pulled";
    case "ImagePullBackOff":
      return ": trying and failing to pull image";
    default:
      return `: ${reason}`;
  }
}

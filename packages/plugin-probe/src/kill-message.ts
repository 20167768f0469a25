/** Texts of `Killing` events (the kubelet's computePodActions and computeInitContainerActions). */
import type { Pod } from "@hooklet/core";
import type { ProbeKind } from "./types.js";

export function killMessage(pod: Pod, container: string, kind: ProbeKind): string {
  const isMain = pod.spec.containers.some(({ name }) => name === container);
  if (!isMain) return `Init container ${container} failed ${kind} probe`;
  const restarts = (pod.spec.restartPolicy ?? "Always") !== "Never";
  return `Container ${container} failed ${kind} probe${restarts ? ", will be restarted" : ""}`;
}

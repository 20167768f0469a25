import { containerSwap, type SwapRule } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { type Gates, onlyKeys } from "./cgroups.js";
import { type RawPod, toPod } from "./pods.js";

interface Input extends Omit<SwapRule, "nodeSwap"> {
  readonly pod: RawPod;
  readonly gates: Gates;
}

export const adapter: Adapter<Input> = {
  run({ pod: raw, gates, ...rule }) {
    onlyKeys(rule, ["cgroupVersion", "swapControllerAvailable", "swapBehavior", "memoryCapacity", "swapCapacity"]);
    onlyKeys(gates, ["NodeSwap"], "gates");
    const pod = toPod(raw);
    const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
    const swapBytes = containers.map((container) => [
      container.name,
      containerSwap(pod, container, { ...rule, nodeSwap: gates.NodeSwap ?? true }) ?? "not configured",
    ]);
    return { swapBytes: Object.fromEntries(swapBytes) as object };
  },
};

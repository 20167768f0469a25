/** Swap of containers (KEP-2400, pkg/kubelet/kuberuntime/kuberuntime_container_linux.go). Pure. */
import { type Container, NodeAgentError, type Pod } from "@hooklet/core";
import { isCriticalPod, parseQuantity, qosClass, quantityValue } from "@hooklet/core/rules";
import type { RuleOptions } from "./resource-config.js";

export interface SwapRule extends RuleOptions {
  readonly cgroupVersion: "v1" | "v2";
  /** Gate NodeSwap. */
  readonly nodeSwap: boolean;
  /** `memorySwap.swapBehavior`; "" is NoSwap. */
  readonly swapBehavior: "" | "NoSwap" | "LimitedSwap";
  /** The kernel limits swap by cgroup. */
  readonly swapControllerAvailable: boolean;
  /** Bytes. */
  readonly memoryCapacity: number;
  /** Bytes. */
  readonly swapCapacity: number;
}

/**
 * Bytes of swap that a container may use. Undefined: not set, since the kernel cannot limit it. A share only for
 * Burstable containers whose memory request differs from their limit.
 */
export function containerSwap(pod: Pod, container: Container, rule: SwapRule): number | undefined {
  if (!rule.swapControllerAvailable) return undefined;
  const limited = rule.nodeSwap && rule.cgroupVersion === "v2" && rule.swapBehavior === "LimitedSwap";
  if (!limited || isCriticalPod(pod)) return 0;
  if (qosClass(pod, { podLevelResources: rule.podLevelResources ?? true }) !== "Burstable") return 0;
  const request = bytesOf(container.resources?.requests?.memory);
  const limit = bytesOf(container.resources?.limits?.memory);
  if (request === 0 || request === limit || request > rule.memoryCapacity) return 0;
  return swapShare(request, rule.memoryCapacity, rule.swapCapacity);
}

/**
 * As much of the machine's swap as the request is of its memory.
 * @throws NodeAgentError when the machine's memory is unknown or smaller than the request
 */
export function swapShare(request: number, memoryCapacity: number, swapCapacity: number): number {
  if (memoryCapacity <= 0) throw new NodeAgentError("INVALID", "total node memory is 0");
  if (request > memoryCapacity) {
    const text = `container request ${request} is larger than total node memory ${memoryCapacity}`;
    throw new NodeAgentError("INVALID", text);
  }
  return Math.trunc((request / memoryCapacity) * swapCapacity);
}

function bytesOf(text: string | undefined): number {
  return text === undefined ? 0 : quantityValue(parseQuantity(String(text)));
}

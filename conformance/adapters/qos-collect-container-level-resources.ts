import { collectContainerResources, type QosResources, toQuantityTexts } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type RawPod, toPod } from "./pods.js";

export const adapter: Adapter<Pick<RawPod, "spec">> = {
  keys: ["spec"],
  run: (input) => toAnswer(collectContainerResources(toPod(input))),
};

export function toAnswer({ requests, limits, limitsComplete }: QosResources): object {
  return {
    requests: toQuantityTexts(requests),
    limits: toQuantityTexts(limits),
    limits_for_cpu_and_memory_present: limitsComplete,
  };
}

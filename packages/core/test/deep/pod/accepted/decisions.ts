/** Fields that show in a decision of the agent alone, which is asked here. */
import type { Pod } from "@hooklet/core";
import { isCriticalPod } from "@hooklet/core/rules";
import { resizeOf } from "../../../../../plugin-cgroups/src/resize/resize-rules.js";
import type { Case } from "./cases.js";
import type { Manifest } from "./walk.js";

export interface Decision extends Pick<Case, "value" | "other" | "base"> {
  decide(pod: Pod): unknown;
}

const amounts = (cpu: string) => ({ requests: { cpu, memory: "64Mi" }, limits: { cpu, memory: "64Mi" } });

function resized(list: "containers" | "initContainers"): Pick<Decision, "base" | "decide"> {
  return {
    base: (_: Manifest, container: Manifest) => {
      container.resources = amounts("100m");
      container.resizePolicy = [{ resourceName: "cpu", restartPolicy: "RestartContainer" }];
    },
    // More processor time: does the container have to restart for it?
    decide: (pod) => {
      const containers = pod.spec[list]?.map((one) => ({ ...one, resources: amounts("200m") })) ?? [];
      return resizeOf(pod, { ...pod, spec: { ...pod.spec, [list]: containers } })?.map(({ restart }) => restart);
    },
  };
}

export const decisions: Readonly<Record<string, Decision>> = {
  "metadata.uid": {
    value: "0f0f",
    decide: ({ metadata }) => metadata.uid === "0f0f",
  },
  // What preempts, is spared by evictions and starts first.
  "spec.priority": { value: 2_000_001_000, decide: isCriticalPod },
  "spec.containers.resizePolicy.resourceName": {
    ...resized("containers"),
    value: "memory",
    other: "cpu",
  },
  "spec.containers.resizePolicy.restartPolicy": {
    ...resized("containers"),
    value: "RestartContainer",
    other: "NotRequired",
  },
  "spec.initContainers.resizePolicy.resourceName": {
    ...resized("initContainers"),
    value: "memory",
    other: "cpu",
  },
  "spec.initContainers.resizePolicy.restartPolicy": {
    ...resized("initContainers"),
    value: "RestartContainer",
    other: "NotRequired",
  },
};

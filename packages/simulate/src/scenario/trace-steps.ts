/** Pods of a trace as steps of a timeline. */
import { apiPod } from "@hooklet/core/internal";
import { namespacedName, type Pod, readManifestObject } from "@hooklet/manifest";
import type { TracedPod } from "../trace/columns.js";
import type { TimedStep } from "./timed.js";

/** Milliseconds that a pod which has ended is left for people to see. */
const SEEN = 30_000;

/** A pod comes, uses what it uses, ends by itself, and is deleted. What was evicted meanwhile is passed over. */
export function traceSteps(pods: readonly TracedPod[]): readonly TimedStep[] {
  const steps: TimedStep[] = [];
  for (const traced of pods) {
    const at = Math.round(traced.arrival * 1000);
    const pod = podOf(traced);
    const key = namespacedName(pod.metadata);
    const step = (after: number, one: Omit<TimedStep["step"], "at">): TimedStep => ({
      at: at + after,
      index: -1,
      step: { at: (at + after) / 1000, ...one },
      pods: [],
      objects: [],
      mayFail: true,
    });
    steps.push({ ...step(0, {}), pods: [pod] });
    for (const { after, memory } of traced.usage) {
      // Once it runs: at the instant of its arrival it does not yet.
      steps.push(step(Math.round(after * 1000) + 100, { usage: { pod: key, memory } }));
    }
    steps.push(step(Math.round(traced.duration * 1000) + SEEN, { delete: key }));
  }
  return steps;
}

function podOf({ name, duration, cpu, memory, cpuLimit, memoryLimit, priority, image }: TracedPod): Pod {
  const list = (cores: number | undefined, bytes: number | undefined): object => ({
    ...(cores === undefined ? {} : { cpu: `${Math.round(cores * 1000)}m` }),
    ...(bytes === undefined ? {} : { memory: String(bytes) }),
  });
  const container = {
    name: "main",
    image,
    command: ["sleep", String(duration)],
    resources: { requests: list(cpu, memory), limits: list(cpuLimit, memoryLimit) },
  };
  const manifest = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { restartPolicy: "Never", ...(priority === undefined ? {} : { priority }), containers: [container] },
  };
  const identify = (pod: Parameters<typeof apiPod>[0]): Pod =>
    apiPod(pod, { nodeName: "node", seen: 0, uid: "simulated" });
  const [pod] = readManifestObject(manifest, `pod ${name}`, identify);
  return pod as Pod;
}

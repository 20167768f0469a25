/** /metrics/resource as the kubelet serves it. Pure. */
import type { CollectOptions } from "@hooklet/core/subsystem";
import type { Reading } from "../reader.js";
import type { MeasuredPod } from "../summary.js";
import { cpuSeconds, emptySamples, push, type Samples } from "./samples.js";

const RESOURCE = "/metrics/resource";
const ofContainer = ["container", "namespace", "pod"];
const ofPod = ["namespace", "pod"];

const resourceFamily = (
  name: string,
  type: CollectOptions["type"],
  help: string,
  labels: readonly string[],
): CollectOptions => ({
  name,
  type,
  help: `[STABLE] ${help}`,
  labels,
  path: RESOURCE,
});

/** As pkg/kubelet/metrics/collectors/resource_metrics.go has them. */
export const resourceFamilies: readonly CollectOptions[] = [
  resourceFamily(
    "node_cpu_usage_seconds_total",
    "counter",
    "Cumulative cpu time consumed by the node in core-seconds",
    [],
  ),
  resourceFamily("node_memory_working_set_bytes", "gauge", "Current working set of the node in bytes", []),
  resourceFamily(
    "node_swap_usage_bytes",
    "gauge",
    "Current swap usage of the node in bytes. Reported only on non-windows systems",
    [],
  ),
  resourceFamily(
    "container_cpu_usage_seconds_total",
    "counter",
    "Cumulative cpu time consumed by the container in core-seconds",
    ofContainer,
  ),
  resourceFamily(
    "container_memory_working_set_bytes",
    "gauge",
    "Current working set of the container in bytes",
    ofContainer,
  ),
  resourceFamily(
    "container_start_time_seconds",
    "gauge",
    "Start time of the container since unix epoch in seconds",
    ofContainer,
  ),
  resourceFamily(
    "pod_cpu_usage_seconds_total",
    "counter",
    "Cumulative cpu time consumed by the pod in core-seconds",
    ofPod,
  ),
  resourceFamily("pod_memory_working_set_bytes", "gauge", "Current working set of the pod in bytes", ofPod),
  resourceFamily(
    "resource_scrape_error",
    "gauge",
    "1 if there was an error while getting container metrics, 0 otherwise",
    [],
  ),
];

/** Samples of /metrics/resource; an unread tree only sets the scrape error. */
export function resourceSamples(reading: Reading | undefined, pods: readonly MeasuredPod[]): Samples {
  const samples = emptySamples(resourceFamilies);
  push(samples, "resource_scrape_error", reading === undefined ? 1 : 0, {});
  if (reading === undefined) return samples;
  const { node, tree } = reading;
  if (node !== undefined) {
    push(samples, "node_cpu_usage_seconds_total", cpuSeconds(node), {}, node.at);
    push(samples, "node_memory_working_set_bytes", node.memory.workingSetBytes, {}, node.at);
    push(samples, "node_swap_usage_bytes", node.memory.swapBytes, {}, node.at);
  }
  for (const { pod, containers } of pods) {
    const found = tree.byPod.get(pod.metadata.uid);
    if (found === undefined) continue;
    const labels = { namespace: pod.metadata.namespace, pod: pod.metadata.name };
    push(samples, "pod_cpu_usage_seconds_total", cpuSeconds(found.usage), labels, found.usage.at);
    push(samples, "pod_memory_working_set_bytes", found.usage.memory.workingSetBytes, labels, found.usage.at);
    for (const { name, id, startedAt } of containers) {
      const usage = found.containers.get(id);
      if (usage === undefined) continue;
      const own = { container: name, ...labels };
      push(samples, "container_cpu_usage_seconds_total", cpuSeconds(usage), own, usage.at);
      push(samples, "container_memory_working_set_bytes", usage.memory.workingSetBytes, own, usage.at);
      push(samples, "container_start_time_seconds", startedAt / 1000, own);
    }
  }
  return samples;
}

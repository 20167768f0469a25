/** /metrics/resource in the kubelet's words, and cAdvisor's names that dashboards use. Pure but for the reading. */
import type { NodeContext } from "@hooklet/core";
import type { Reading } from "./provider.js";
import type { MeasuredPod } from "./summary.js";
import type { CgroupUsage } from "./usage.js";

type Collect = NodeContext["metrics"]["collect"];
type Family = Parameters<Collect>[0][number];
type Sample =
  NonNullable<Awaited<ReturnType<Parameters<Collect>[1]>>[string]> extends Iterable<infer One> ? One : never;

const RESOURCE = "/metrics/resource";
const ofContainer = ["container", "namespace", "pod"];
const ofPod = ["namespace", "pod"];

const resourceFamily = (name: string, type: Family["type"], help: string, labels: readonly string[]): Family => ({
  name,
  type,
  help: `[STABLE] ${help}`,
  labels,
  path: RESOURCE,
});

/** As pkg/kubelet/metrics/collectors/resource_metrics.go has them. */
export const resourceFamilies: readonly Family[] = [
  resourceFamily(
    "node_cpu_usage_seconds_total",
    "counter",
    "Cumulative cpu time consumed by the node in core-seconds",
    [],
  ),
  resourceFamily("node_memory_working_set_bytes", "gauge", "Current working set of the node in bytes", []),
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

const CADVISOR = "/metrics/cadvisor";
const cadvisorFamily = (name: string, type: Family["type"], help: string): Family => ({
  name,
  type,
  help,
  labels: ofContainer,
  path: CADVISOR,
});

/** cAdvisor's, on the path where a kubelet has them. */
export const cadvisorFamilies: readonly Family[] = [
  cadvisorFamily("container_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed in seconds."),
  cadvisorFamily("container_cpu_cfs_periods_total", "counter", "Number of elapsed enforcement period intervals."),
  cadvisorFamily("container_cpu_cfs_throttled_periods_total", "counter", "Number of throttled period intervals."),
  cadvisorFamily(
    "container_cpu_cfs_throttled_seconds_total",
    "counter",
    "Total time duration the container has been throttled.",
  ),
  cadvisorFamily(
    "container_memory_usage_bytes",
    "gauge",
    "Current memory usage in bytes, including all memory regardless of when it was accessed",
  ),
  cadvisorFamily("container_memory_working_set_bytes", "gauge", "Current working set in bytes."),
  cadvisorFamily("container_memory_rss", "gauge", "Size of RSS in bytes."),
  cadvisorFamily("container_memory_swap", "gauge", "Container swap usage in bytes."),
  cadvisorFamily("container_oom_events_total", "counter", "Count of out of memory events observed for the container"),
  cadvisorFamily("container_processes", "gauge", "Number of processes running inside the container."),
  cadvisorFamily("container_spec_memory_limit_bytes", "gauge", "Memory limit for the container."),
];

type Samples = Record<string, Sample[]>;

/** Samples of /metrics/resource; an unread tree is only told as a scrape error. */
export function resourceSamples(reading: Reading | undefined, pods: readonly MeasuredPod[]): Samples {
  const samples = emptySamples(resourceFamilies);
  push(samples, "resource_scrape_error", reading === undefined ? 1 : 0, {}, undefined);
  if (reading === undefined) return samples;
  const { node, tree } = reading;
  if (node !== undefined) {
    push(samples, "node_cpu_usage_seconds_total", cpuSeconds(node), {}, node.at);
    push(samples, "node_memory_working_set_bytes", node.memory.workingSetBytes, {}, node.at);
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
      push(samples, "container_start_time_seconds", startedAt / 1000, own, undefined);
    }
  }
  return samples;
}

/** Samples in cAdvisor's names. */
export function cadvisorSamples(reading: Reading | undefined, pods: readonly MeasuredPod[]): Samples {
  const samples = emptySamples(cadvisorFamilies);
  for (const { pod, containers } of reading === undefined ? [] : pods) {
    const found = reading?.tree.byPod.get(pod.metadata.uid);
    const labels = { namespace: pod.metadata.namespace, pod: pod.metadata.name };
    if (found !== undefined) pushCadvisor(samples, found.usage, { container: "", ...labels });
    for (const { name, id } of containers) {
      const usage = found?.containers.get(id);
      if (usage !== undefined) pushCadvisor(samples, usage, { container: name, ...labels });
    }
  }
  return samples;
}

function pushCadvisor(samples: Samples, usage: CgroupUsage, labels: Record<string, string>): void {
  const { cpu, memory, pids } = usage;
  const add = (name: string, value: number | undefined): void => push(samples, name, value, labels, undefined);
  add("container_cpu_usage_seconds_total", cpuSeconds(usage));
  if (cpu.periods > 0) {
    add("container_cpu_cfs_periods_total", cpu.periods);
    add("container_cpu_cfs_throttled_periods_total", cpu.throttledPeriods);
    add("container_cpu_cfs_throttled_seconds_total", cpu.throttledNanoSeconds / 1e9);
  }
  add("container_memory_usage_bytes", memory.usageBytes);
  add("container_memory_working_set_bytes", memory.workingSetBytes);
  add("container_memory_rss", memory.rssBytes);
  add("container_memory_swap", memory.swapBytes);
  add("container_oom_events_total", memory.oomKills);
  add("container_processes", pids);
  add("container_spec_memory_limit_bytes", memory.limitBytes ?? 0);
}

function emptySamples(families: readonly Family[]): Samples {
  return Object.fromEntries(families.map(({ name }) => [name, []]));
}

function push(
  samples: Samples,
  name: string,
  value: number | undefined,
  labels: Record<string, string>,
  timestamp: number | undefined,
): void {
  if (value === undefined) return;
  samples[name]?.push({ labels, value, ...(timestamp !== undefined && { timestamp }) });
}

function cpuSeconds({ cpu }: CgroupUsage): number | undefined {
  return cpu.usageNanoSeconds === undefined ? undefined : cpu.usageNanoSeconds / 1e9;
}

/** cAdvisor's metrics that dashboards use, on the path where a kubelet has them. Pure. */
import { type Pod, runnableContainers } from "@hooklet/core";
import type { CgroupUsage, Pressure } from "@hooklet/core/rules";
import type { CollectOptions } from "@hooklet/core/subsystem";
import type { DiskReading } from "../disk/measurer.js";
import type { NetworkUsage } from "../network.js";
import type { Reading } from "../reader.js";
import type { MeasuredPod } from "../summary.js";
import type { PodUsage } from "../tree.js";
import { cpuSeconds, emptySamples, push, type Samples } from "./samples.js";

const PATH = "/metrics/cadvisor";
/** As the kubelet has cAdvisor label them: dashboards tell containers from pods by an empty `container` or `image`. */
const ofContainer = ["container", "id", "image", "name", "namespace", "pod"];

const family = (
  name: string,
  type: CollectOptions["type"],
  help: string,
  labels: readonly string[] = ofContainer,
): CollectOptions => ({
  name,
  type,
  help,
  labels,
  path: PATH,
});
const ofInterface = (name: string, help: string): CollectOptions =>
  family(name, "counter", help, ["interface", ...ofContainer]);

/** Without a container's name: the pod as a whole; without a pod's: the machine, all pods, or a QoS class, by `id`. */
export const cadvisorFamilies: readonly CollectOptions[] = [
  family("container_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed in seconds.", [
    "cpu",
    ...ofContainer,
  ]),
  family("container_cpu_cfs_periods_total", "counter", "Number of elapsed enforcement period intervals."),
  family("container_cpu_cfs_throttled_periods_total", "counter", "Number of throttled period intervals."),
  family(
    "container_cpu_cfs_throttled_seconds_total",
    "counter",
    "Total time duration the container has been throttled.",
  ),
  family(
    "container_memory_usage_bytes",
    "gauge",
    "Current memory usage in bytes, including all memory regardless of when it was accessed",
  ),
  family("container_memory_working_set_bytes", "gauge", "Current working set in bytes."),
  family("container_memory_rss", "gauge", "Size of RSS in bytes."),
  family("container_memory_cache", "gauge", "Number of bytes of page cache memory."),
  family("container_memory_swap", "gauge", "Container swap usage in bytes."),
  family("container_oom_events_total", "counter", "Count of out of memory events observed for the container"),
  family("container_last_seen", "gauge", "Last time a container was seen by the exporter"),
  family("container_threads", "gauge", "Number of threads running inside the container"),
  family("container_processes", "gauge", "Number of processes running inside the container."),
  family("container_spec_memory_limit_bytes", "gauge", "Memory limit for the container."),
  family("container_start_time_seconds", "gauge", "Start time of the container since unix epoch in seconds."),
  family("container_fs_usage_bytes", "gauge", "Number of bytes that are consumed by the container on this filesystem."),
  ofInterface("container_network_receive_bytes_total", "Cumulative count of bytes received"),
  ofInterface("container_network_receive_packets_total", "Cumulative count of packets received"),
  ofInterface("container_network_receive_packets_dropped_total", "Cumulative count of packets dropped while receiving"),
  ofInterface("container_network_receive_errors_total", "Cumulative count of errors encountered while receiving"),
  ofInterface("container_network_transmit_bytes_total", "Cumulative count of bytes transmitted"),
  ofInterface("container_network_transmit_packets_total", "Cumulative count of packets transmitted"),
  ofInterface(
    "container_network_transmit_packets_dropped_total",
    "Cumulative count of packets dropped while transmitting",
  ),
  ofInterface("container_network_transmit_errors_total", "Cumulative count of errors encountered while transmitting"),
  ...(["cpu", "memory", "io"] as const).flatMap((what) => {
    const name = { cpu: "CPU", memory: "memory", io: "IO" }[what];
    return [
      family(
        `container_pressure_${what}_stalled_seconds_total`,
        "counter",
        `Total time duration no tasks in the container could make progress due to ${name} congestion.`,
      ),
      family(
        `container_pressure_${what}_waiting_seconds_total`,
        "counter",
        `Total time duration tasks in the container have waited due to ${name} congestion.`,
      ),
    ];
  }),
];

export interface CadvisorInput {
  readonly reading: Reading | undefined;
  readonly pods: readonly MeasuredPod[];
  /** By the pod's uid. */
  readonly networks: ReadonlyMap<string, NetworkUsage>;
  readonly disks: DiskReading;
  /** Processes by the container's cgroup. */
  readonly processes: ReadonlyMap<string, number>;
  /** OOM kills in all attempts of a container. */
  readonly oomKills: (uid: string, container: string) => number;
}

export function cadvisorSamples(input: CadvisorInput): Samples {
  const samples = emptySamples(cadvisorFamilies);
  const { reading, pods } = input;
  if (reading === undefined) return samples;
  const { node, tree } = reading;
  for (const usage of [node, tree.pods, ...Object.values(tree.qos)]) {
    if (usage !== undefined) pushUsage(samples, usage, labelsOf(usage, { namespace: "", pod: "" }));
  }
  for (const measured of pods) {
    const found = tree.byPod.get(measured.pod.metadata.uid);
    if (found !== undefined) pushPod(samples, input, measured, found);
  }
  return samples;
}

function pushPod(
  samples: Samples,
  { networks, disks, processes, oomKills }: CadvisorInput,
  { pod, containers }: MeasuredPod,
  found: PodUsage,
): void {
  const { uid, name, namespace } = pod.metadata;
  const labels = { namespace, pod: name };
  const own = labelsOf(found.usage, labels);
  pushUsage(samples, found.usage, own);
  pushNetwork(samples, networks.get(uid), own);
  for (const { name: container, id, startedAt } of containers) {
    const usage = found.containers.get(id);
    if (usage === undefined) continue;
    const of = { ...labelsOf(usage, labels), container, image: imageOf(pod, container), name: id };
    pushUsage(samples, usage, of);
    push(samples, "container_oom_events_total", oomKills(uid, container), of);
    push(samples, "container_processes", processes.get(usage.path), of);
    push(samples, "container_start_time_seconds", startedAt / 1000, of);
    push(samples, "container_fs_usage_bytes", disks.layers.get(id)?.usedBytes, of);
  }
}

type Labels = Readonly<Record<string, string>>;

function labelsOf({ path }: CgroupUsage, of: { readonly namespace: string; readonly pod: string }): Labels {
  return { container: "", id: path, image: "", name: "", ...of };
}

/** As the runtime names it, or as the manifest does until then. */
function imageOf(pod: Pod, container: string): string {
  const ofName = (one: { readonly name: string }): boolean => one.name === container;
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const statuses = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  return statuses.find(ofName)?.image || runnableContainers(pod).find(ofName)?.image || "";
}

function pushUsage(samples: Samples, usage: CgroupUsage, labels: Labels): void {
  const { at, cpu, memory, pids, pressure } = usage;
  const add = (name: string, value: number | undefined): void => push(samples, name, value, labels);
  push(samples, "container_cpu_usage_seconds_total", cpuSeconds(usage), { ...labels, cpu: "total" });
  if (cpu.periods > 0) {
    add("container_cpu_cfs_periods_total", cpu.periods);
    add("container_cpu_cfs_throttled_periods_total", cpu.throttledPeriods);
    add("container_cpu_cfs_throttled_seconds_total", cpu.throttledNanoSeconds / 1e9);
  }
  add("container_last_seen", Math.floor(at / 1000));
  add("container_memory_usage_bytes", memory.usageBytes);
  add("container_memory_working_set_bytes", memory.workingSetBytes);
  add("container_memory_rss", memory.rssBytes);
  add("container_memory_cache", memory.cacheBytes);
  add("container_memory_swap", memory.swapBytes);
  add("container_threads", pids);
  add("container_spec_memory_limit_bytes", memory.limitBytes ?? 0);
  for (const what of ["cpu", "memory", "io"] as const) {
    const found: Pressure | undefined = pressure[what];
    if (found === undefined) continue;
    add(`container_pressure_${what}_stalled_seconds_total`, (found.full?.total ?? 0) / 1e6);
    add(`container_pressure_${what}_waiting_seconds_total`, found.some.total / 1e6);
  }
}

function pushNetwork(samples: Samples, network: NetworkUsage | undefined, pod: Labels): void {
  for (const one of network?.interfaces ?? []) {
    const labels = { ...pod, interface: one.name };
    push(samples, "container_network_receive_bytes_total", one.rxBytes, labels);
    push(samples, "container_network_receive_packets_total", one.rxPackets, labels);
    push(samples, "container_network_receive_packets_dropped_total", one.rxDropped, labels);
    push(samples, "container_network_receive_errors_total", one.rxErrors, labels);
    push(samples, "container_network_transmit_bytes_total", one.txBytes, labels);
    push(samples, "container_network_transmit_packets_total", one.txPackets, labels);
    push(samples, "container_network_transmit_packets_dropped_total", one.txDropped, labels);
    push(samples, "container_network_transmit_errors_total", one.txErrors, labels);
  }
}

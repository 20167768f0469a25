import type { CgroupUsage } from "@hooklet/core/rules";
import { describe, expect, test } from "@jest/globals";
import { cadvisorFamilies, cadvisorSamples } from "../../../src/metrics/cadvisor.js";
import { readNodeUsage } from "../../../src/node-usage.js";
import { readProcessCounts, readTree } from "../../../src/tree.js";
import { aUsage } from "../usages.js";
import { aMachine, aPod, CLASSES as QOS } from "../world.js";

const POD = `${QOS.BestEffort}/poduid-a`;

function samplesOf(version: "v1" | "v2") {
  const { kernel, layout, addCgroup } = aMachine(version);
  for (const path of [QOS.Burstable, `${POD}/id1`]) addCgroup(path);
  const pids = version === "v1" ? "/sys/fs/cgroup/pids" : "/sys/fs/cgroup";
  kernel.set(`${pids}${POD}/id1/cgroup.procs`, "7\n9\n");
  kernel.set(`${pids}${POD}/id1/pids.current`, "40\n");
  const input = { uid: "uid-a", path: POD, containers: ["id1"] };
  const containerName = (id: string): string => id;
  const tree = readTree(kernel, layout, { kubepods: "/kubepods", qosPaths: QOS, pods: [input], containerName }, 5000);
  const usage = { at: 5000, interfaces: [{ ...noTraffic, name: "eth0", rxBytes: 3 }] };
  return cadvisorSamples({
    reading: { tree, node: readNodeUsage(kernel, layout, 5000) },
    pods: [{ pod: aPod("a"), containers: [{ name: "main", id: "id1", startedAt: 1000 }] }],
    networks: new Map([["uid-a", usage]]),
    disks: { disks: new Map(), layers: new Map() },
    processes: readProcessCounts(kernel, layout, [`${POD}/id1`, `${POD}/gone`]),
    oomKills: () => 2,
  });
}

const noTraffic = {
  ...{ rxBytes: 0, rxPackets: 0, rxErrors: 0, rxDropped: 0 },
  ...{ txBytes: 0, txPackets: 0, txErrors: 0, txDropped: 0 },
};
const none = { container: "", image: "", name: "" };
const ofPod = { namespace: "default", pod: "a" };
const ofMain = { ...ofPod, container: "main", id: `${POD}/id1`, image: "app:1", name: "id1" };

test.each(["v1", "v2"] as const)(
  "on %s the machine, all pods, classes, pods and containers have the kubelet's labels",
  (version) => {
    const labels = samplesOf(version).container_memory_working_set_bytes?.map((sample) => sample.labels);
    expect(labels).toEqual([
      ...["/", "/kubepods", QOS.Burstable, QOS.BestEffort].map((id) => ({ ...none, id, namespace: "", pod: "" })),
      { ...none, ...ofPod, id: POD },
      ofMain,
    ]);
  },
);

test("processes are processes, threads are threads", () => {
  const { container_processes: processes, container_threads: threads } = samplesOf("v1");
  expect(processes).toEqual([{ labels: ofMain, value: 2 }]);
  expect(threads?.at(-1)).toEqual({ labels: ofMain, value: 40 });
});

test("cpu time carries the label that cAdvisor gives to all processors together, traffic its interface", () => {
  const found = samplesOf("v1");
  expect(found.container_cpu_usage_seconds_total?.at(-1)?.labels).toEqual({ ...ofMain, cpu: "total" });
  expect(found.container_network_receive_bytes_total).toEqual([
    { labels: { ...none, ...ofPod, id: POD, interface: "eth0" }, value: 3 },
  ]);
});

describe("of a container", () => {
  const line = (total: number) => ({ avg10: 0, avg60: 0, avg300: 0, total });
  const withTraffic = {
    ...{ rxBytes: 21, rxPackets: 22, rxErrors: 23, rxDropped: 24 },
    ...{ txBytes: 25, txPackets: 26, txErrors: 27, txDropped: 28 },
  };

  /** The values of each family, those of a pod and then of its container. */
  function values(more: Partial<CgroupUsage> = {}, { pod = aPod("a"), startedAt = 1_500 } = {}) {
    const containers = new Map([["id1", aUsage("/pod/id1", more)]]);
    const byPod = new Map([["uid-a", { usage: aUsage("/pod", { pids: undefined }), containers }]]);
    const found = cadvisorSamples({
      reading: { tree: { at: 0, pods: undefined, qos: {}, byPod }, node: undefined },
      pods: [{ pod, containers: ["id1", "gone"].map((id) => ({ name: "main", id, startedAt })) }],
      networks: new Map([["uid-a", { at: 0, interfaces: [{ name: "eth1", ...withTraffic }] }]]),
      disks: { disks: new Map(), layers: new Map([["id1", { at: 0, usedBytes: 31, inodesUsed: 1 }]]) },
      processes: new Map([["/pod/id1", 32]]),
      oomKills: (uid, container) => (uid === "uid-a" && container === "main" ? 33 : 0),
    });
    return { found, ofFamily: (name: string) => found[name]?.map(({ value }) => value) };
  }

  test("there is all that the kernel counts", () => {
    const { found } = values({
      cpu: { usageNanoSeconds: 2_500_000_000, periods: 4, throttledPeriods: 5, throttledNanoSeconds: 3_000_000_000 },
      pressure: {
        cpu: { some: line(1_000_000) },
        memory: { some: line(2_000_000), full: line(3_000_000) },
        io: { some: line(4_000_000), full: line(5_000_000) },
      },
    });
    expect(
      Object.fromEntries(Object.entries(found).map(([name, all]) => [name, all.map(({ value }) => value)])),
    ).toEqual({
      container_cpu_usage_seconds_total: [2.5, 2.5],
      container_cpu_cfs_periods_total: [4],
      container_cpu_cfs_throttled_periods_total: [5],
      container_cpu_cfs_throttled_seconds_total: [3],
      container_memory_usage_bytes: [11, 11],
      container_memory_working_set_bytes: [12, 12],
      container_memory_rss: [13, 13],
      container_memory_cache: [16, 16],
      container_memory_swap: [14, 14],
      container_oom_events_total: [33],
      container_last_seen: [7, 7],
      container_threads: [6],
      container_processes: [32],
      container_spec_memory_limit_bytes: [19, 19],
      container_start_time_seconds: [1.5],
      container_fs_usage_bytes: [31],
      container_network_receive_bytes_total: [21],
      container_network_receive_packets_total: [22],
      container_network_receive_packets_dropped_total: [24],
      container_network_receive_errors_total: [23],
      container_network_transmit_bytes_total: [25],
      container_network_transmit_packets_total: [26],
      container_network_transmit_packets_dropped_total: [28],
      container_network_transmit_errors_total: [27],
      container_pressure_cpu_stalled_seconds_total: [0],
      container_pressure_cpu_waiting_seconds_total: [1],
      container_pressure_memory_stalled_seconds_total: [3],
      container_pressure_memory_waiting_seconds_total: [2],
      container_pressure_io_stalled_seconds_total: [5],
      container_pressure_io_waiting_seconds_total: [4],
    });
  });

  test("there is nothing of a quota or a pressure where there is none, and a limit of 0", () => {
    const { ofFamily } = values({ memory: { ...aUsage("/").memory, limitBytes: undefined } });
    expect(ofFamily("container_cpu_cfs_periods_total")).toEqual([]);
    expect(ofFamily("container_pressure_io_waiting_seconds_total")).toEqual([]);
    expect(ofFamily("container_spec_memory_limit_bytes")).toEqual([19, 0]);
  });

  test.each<[string, object, string]>([
    [
      "its status",
      {
        containerStatuses: [
          { name: "other", image: "x" },
          { name: "main", image: "app@sha256:1" },
        ],
      },
      "app@sha256:1",
    ],
    ["its status as an init container", { initContainerStatuses: [{ name: "main", image: "init:1" }] }, "init:1"],
    [
      "its status as an ephemeral container",
      { ephemeralContainerStatuses: [{ name: "main", image: "debug:1" }] },
      "debug:1",
    ],
    ["its manifest until then", { containerStatuses: [{ name: "main", image: "" }] }, "app:1"],
  ])("the image is that of %s", (_, status, image) => {
    const { found } = values({}, { pod: { ...aPod("a"), status } as never });
    expect(found.container_processes?.[0]?.labels?.image).toBe(image);
  });
});

test("without a reading each family is empty", () => {
  const nothing = { networks: new Map(), disks: { disks: new Map(), layers: new Map() }, processes: new Map() };
  const found = cadvisorSamples({ reading: undefined, pods: [], ...nothing, oomKills: () => 0 });
  expect(Object.keys(found)).toEqual(cadvisorFamilies.map(({ name }) => name));
  expect(Object.values(found).flat()).toEqual([]);
  expect(new Set(cadvisorFamilies.map(({ path }) => path))).toEqual(new Set(["/metrics/cadvisor"]));
});

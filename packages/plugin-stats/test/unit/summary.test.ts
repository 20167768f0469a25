import type { CgroupUsage } from "@hooklet/core/rules";
import type { FileSystem } from "@hooklet/core/subsystem";
import { describe, expect, test } from "@jest/globals";
import type { DiskReading } from "../../src/disk/measurer.js";
import { cadvisorFamilies, cadvisorSamples } from "../../src/metrics/cadvisor.js";
import { resourceFamilies, resourceSamples } from "../../src/metrics/resource.js";
import { commonOf, fsOf, type MeasuredPod, networkOf, podStatistics, podsContainer } from "../../src/summary.js";
import type { TreeUsage } from "../../src/tree.js";
import { aPod } from "./world.js";

const AT = 7_500;
const TIME = "1970-01-01T00:00:07Z";
const line = (total: number) => ({ avg10: 1, avg60: 2, avg300: 3, total });
const POD = "/kubepods/poduid-web";

/** A cgroup in which each number is another one. */
function usage(path: string, parts: Partial<CgroupUsage> = {}): CgroupUsage {
  return {
    at: AT,
    path,
    cpu: { usageNanoSeconds: 2_500_000_000, periods: 10, throttledPeriods: 4, throttledNanoSeconds: 500_000_000 },
    memory: {
      usageBytes: 100,
      workingSetBytes: 80,
      rssBytes: 60,
      swapBytes: 5,
      swapLimitBytes: undefined,
      cacheBytes: 40,
      pageFaults: 30,
      majorPageFaults: 3,
      limitBytes: 200,
      oomKills: 0,
    },
    pids: 9,
    pressure: {},
    ...parts,
  };
}

/** A kernel that tells nothing but that the cgroup is there. */
const silent = (path: string): CgroupUsage =>
  usage(path, {
    cpu: { usageNanoSeconds: undefined, periods: 0, throttledPeriods: 0, throttledNanoSeconds: 0 },
    memory: {
      usageBytes: undefined,
      workingSetBytes: undefined,
      rssBytes: undefined,
      swapBytes: 0,
      swapLimitBytes: undefined,
      cacheBytes: undefined,
      pageFaults: undefined,
      majorPageFaults: undefined,
      limitBytes: undefined,
      oomKills: 0,
    },
    pids: undefined,
  });

const tree = (container = usage(`${POD}/id1`)): TreeUsage => ({
  at: AT,
  pods: undefined,
  qos: {},
  byPod: new Map([["uid-web", { usage: usage(POD), containers: new Map([["id1", container]]) }]]),
});
const measured: MeasuredPod = {
  pod: aPod("web"),
  containers: [
    { name: "main", id: "id1", startedAt: 4_000 },
    { name: "gone", id: "id2", startedAt: 4_000 },
  ],
};
const stranger: MeasuredPod = { pod: aPod("late"), containers: [] };
const noDisks: DiskReading = { disks: new Map(), layers: new Map() };

describe("/metrics/resource", () => {
  const labels = { namespace: "default", pod: "web" };
  const own = { container: "main", ...labels };

  test("has node, pods and containers, with the time of the reading; start times have none", () => {
    const samples = resourceSamples({ tree: tree(), node: usage("/") }, [measured, stranger]);
    const timestamp = AT;
    expect(samples).toEqual({
      resource_scrape_error: [{ labels: {}, value: 0 }],
      node_cpu_usage_seconds_total: [{ labels: {}, value: 2.5, timestamp }],
      node_memory_working_set_bytes: [{ labels: {}, value: 80, timestamp }],
      node_swap_usage_bytes: [{ labels: {}, value: 5, timestamp }],
      pod_cpu_usage_seconds_total: [{ labels, value: 2.5, timestamp }],
      pod_memory_working_set_bytes: [{ labels, value: 80, timestamp }],
      container_cpu_usage_seconds_total: [{ labels: own, value: 2.5, timestamp }],
      container_memory_working_set_bytes: [{ labels: own, value: 80, timestamp }],
      container_start_time_seconds: [{ labels: own, value: 4 }],
    });
  });

  test("a tree that could not be read is a scrape error and nothing else", () => {
    const samples = resourceSamples(undefined, [measured]);
    expect(samples.resource_scrape_error).toEqual([{ labels: {}, value: 1 }]);
    expect(Object.values(samples).flat()).toHaveLength(1);
    expect(Object.keys(samples).sort()).toEqual(resourceFamilies.map(({ name }) => name).sort());
  });

  test("values missing in the kernel are left out, as is a node without a root cgroup", () => {
    const samples = resourceSamples({ tree: tree(silent(`${POD}/id1`)), node: undefined }, [measured]);
    expect(samples.container_cpu_usage_seconds_total).toEqual([]);
    expect(samples.container_memory_working_set_bytes).toEqual([]);
    expect(samples.node_swap_usage_bytes).toEqual([]);
    expect(samples.container_start_time_seconds).toHaveLength(1);
  });
});

describe("/metrics/cadvisor", () => {
  const none = { container: "", id: POD, image: "", name: "", namespace: "default", pod: "web" };
  const main = { ...none, container: "main", id: `${POD}/id1`, image: "app:1", name: "id1" };
  const samplesOf = (container?: CgroupUsage, more: Partial<Parameters<typeof cadvisorSamples>[0]> = {}) =>
    cadvisorSamples({
      reading: { tree: tree(container), node: undefined },
      pods: [measured, stranger],
      networks: new Map(),
      disks: { disks: new Map(), layers: new Map([["id1", { at: AT, usedBytes: 77, inodesUsed: 1 }]]) },
      processes: new Map([[`${POD}/id1`, 2]]),
      oomKills: (uid, container) => (uid === "uid-web" && container === "main" ? 3 : 99),
      ...more,
    });
  /** Family -> value, of the container. */
  const ofMain = (samples: ReturnType<typeof samplesOf>) =>
    Object.fromEntries(
      Object.entries(samples).flatMap(([name, all]) =>
        all.filter(({ labels }) => labels?.container === "main").map(({ value }) => [name, value]),
      ),
    );

  test("each number of a container is under cAdvisor's name for it, in its unit", () => {
    expect(ofMain(samplesOf())).toEqual({
      container_cpu_usage_seconds_total: 2.5,
      container_cpu_cfs_periods_total: 10,
      container_cpu_cfs_throttled_periods_total: 4,
      container_cpu_cfs_throttled_seconds_total: 0.5,
      container_last_seen: 7,
      container_memory_usage_bytes: 100,
      container_memory_working_set_bytes: 80,
      container_memory_rss: 60,
      container_memory_cache: 40,
      container_memory_swap: 5,
      container_threads: 9,
      container_spec_memory_limit_bytes: 200,
      container_oom_events_total: 3,
      container_processes: 2,
      container_start_time_seconds: 4,
      container_fs_usage_bytes: 77,
    });
  });

  test("a container without a quota has no periods, one without a limit has the limit 0", () => {
    const found = ofMain(samplesOf(silent(`${POD}/id1`), { disks: noDisks, processes: new Map() }));
    expect(found).toEqual({
      container_last_seen: 7,
      container_memory_swap: 0,
      container_spec_memory_limit_bytes: 0,
      container_oom_events_total: 3,
      container_start_time_seconds: 4,
    });
  });

  test("pressure is in seconds: waiting is some, stalled is full, which the processor may not have", () => {
    const pressure = {
      cpu: { some: line(1_500_000) },
      memory: { some: line(2_000_000), full: line(500_000) },
      io: { some: line(3_000_000), full: line(250_000) },
    };
    const found = ofMain(samplesOf(usage(`${POD}/id1`, { pressure })));
    expect(Object.entries(found).filter(([name]) => name.startsWith("container_pressure_"))).toEqual([
      ["container_pressure_cpu_stalled_seconds_total", 0],
      ["container_pressure_cpu_waiting_seconds_total", 1.5],
      ["container_pressure_memory_stalled_seconds_total", 0.5],
      ["container_pressure_memory_waiting_seconds_total", 2],
      ["container_pressure_io_stalled_seconds_total", 0.25],
      ["container_pressure_io_waiting_seconds_total", 3],
    ]);
  });

  test("traffic is the pod's, by interface, each counter under its name", () => {
    const eth0 = {
      ...{ name: "eth0", rxBytes: 1, rxPackets: 2, rxDropped: 3, rxErrors: 4 },
      ...{ txBytes: 5, txPackets: 6, txDropped: 7, txErrors: 8 },
    };
    const samples = samplesOf(undefined, { networks: new Map([["uid-web", { at: AT, interfaces: [eth0] }]]) });
    const traffic = Object.entries(samples).filter(([name]) => name.startsWith("container_network_"));
    expect(Object.fromEntries(traffic.map(([name, [one]]) => [name, one?.value]))).toEqual({
      container_network_receive_bytes_total: 1,
      container_network_receive_packets_total: 2,
      container_network_receive_packets_dropped_total: 3,
      container_network_receive_errors_total: 4,
      container_network_transmit_bytes_total: 5,
      container_network_transmit_packets_total: 6,
      container_network_transmit_packets_dropped_total: 7,
      container_network_transmit_errors_total: 8,
    });
    for (const [, all] of traffic) expect(all.map(({ labels }) => labels)).toEqual([{ ...none, interface: "eth0" }]);
  });

  test("the image is the status's, and the manifest's until there is one", () => {
    const status = (field: string, image: string) => ({
      ...measured,
      pod: { ...measured.pod, status: { [field]: [{ name: "main", image }] } } as MeasuredPod["pod"],
    });
    const imageOf = (one: MeasuredPod) =>
      samplesOf(undefined, { pods: [one] }).container_threads?.find(({ labels }) => labels?.container === "main")
        ?.labels?.image;
    for (const field of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"]) {
      expect(imageOf(status(field, "registry.example/app@sha256:1"))).toBe("registry.example/app@sha256:1");
    }
    expect(imageOf(status("containerStatuses", ""))).toBe("app:1");
    const containers = [{ name: "unknown", id: "id1", startedAt: 0 }];
    const samples = samplesOf(undefined, { pods: [{ pod: aPod("web"), containers }] });
    expect(samples.container_threads?.at(-1)?.labels).toEqual({ ...main, container: "unknown", image: "" });
  });

  test("an unread tree has no samples, under every name", () => {
    const samples = samplesOf(undefined, { reading: undefined });
    expect(Object.values(samples).flat()).toEqual([]);
    expect(Object.keys(samples).sort()).toEqual(cadvisorFamilies.map(({ name }) => name).sort());
  });
});

describe("the Summary", () => {
  const input = {
    tree: tree(),
    before: undefined,
    pods: [measured, stranger],
    networks: new Map(),
    disks: noDisks,
    nodeFs: undefined,
    containerFs: undefined,
    swapBytes: 50,
  };

  test("has a pod with all known values", () => {
    const cpu = { time: TIME, usageCoreNanoSeconds: 2_500_000_000 };
    const memory = {
      time: TIME,
      availableBytes: 120,
      usageBytes: 100,
      workingSetBytes: 80,
      rssBytes: 60,
      pageFaults: 30,
      majorPageFaults: 3,
    };
    expect(podStatistics(input)).toEqual([
      {
        podRef: { name: "web", namespace: "default", uid: "uid-web" },
        startTime: TIME,
        containers: [
          {
            name: "main",
            startTime: "1970-01-01T00:00:04Z",
            cpu,
            memory,
            swap: { time: TIME, swapAvailableBytes: 45, swapUsageBytes: 5 },
          },
        ],
        cpu,
        memory,
        process_stats: { process_count: 9 },
        swap: { time: TIME, swapUsageBytes: 5 },
      },
    ]);
  });

  test("leaves out values missing in the kernel, not 0", () => {
    const [pod] = podStatistics({ ...input, tree: tree(silent(`${POD}/id1`)) });
    expect(pod?.containers[0]).toMatchObject({ cpu: { time: TIME }, memory: { time: TIME } });
    expect(pod?.containers[0]?.cpu).toEqual({ time: TIME });
    expect(pod?.containers[0]?.memory).toEqual({ time: TIME });
    const quiet: TreeUsage = {
      ...tree(),
      byPod: new Map([["uid-web", { usage: silent(POD), containers: new Map() }]]),
    };
    expect(podStatistics({ ...input, tree: quiet })[0]).not.toHaveProperty("process_stats");
  });

  test("takes the pod's own time of start where there is one", () => {
    const pod = { ...measured.pod, status: { startTime: "2026-01-01T00:00:00Z" } } as MeasuredPod["pod"];
    expect(podStatistics({ ...input, pods: [{ ...measured, pod }] })[0]?.startTime).toBe("2026-01-01T00:00:00Z");
  });

  test.each([
    { name: "a limit of its own", limit: 20, available: 15 },
    { name: "a limit beyond what the machine has", limit: 5000, available: 45 },
    { name: "less left than nothing", limit: 1, available: 0 },
  ])("swap with $name: $available bytes are left", ({ limit, available }) => {
    const { memory, ...rest } = usage(`${POD}/id1`);
    const limited = tree({ ...rest, memory: { ...memory, swapLimitBytes: limit } });
    expect(podStatistics({ ...input, tree: limited })[0]?.containers[0]?.swap).toMatchObject({
      swapAvailableBytes: available,
    });
  });

  test("memory that is used beyond its limit leaves nothing; without a limit the machine's is what counts", () => {
    const { memory, ...rest } = usage("/");
    const of = (limitBytes: number | undefined, capacity?: number) =>
      commonOf({ ...rest, memory: { ...memory, limitBytes } }, undefined, capacity).memory.availableBytes;
    expect([of(10), of(200, 1000), of(undefined, 1000), of(undefined)]).toEqual([0, 120, 920, undefined]);
  });

  test("pressure is reported for each, without full where the kernel has none", () => {
    const pressure = {
      cpu: { some: line(1) },
      memory: { some: line(2), full: line(3) },
      io: { some: line(4), full: line(5) },
    };
    const { cpu, memory, io } = commonOf(usage("/", { pressure }), undefined);
    expect(cpu.psi).toEqual({ some: line(1), full: { avg10: 0, avg60: 0, avg300: 0, total: 0 } });
    expect(memory.psi).toEqual({ some: line(2), full: line(3) });
    expect(io).toEqual({ time: TIME, psi: { some: line(4), full: line(5) } });
    expect(commonOf(usage("/"), undefined)).not.toHaveProperty("io");
  });

  test("usage per second is what came on since the reading before", () => {
    const before = { at: 6_500, nanoSeconds: new Map([["/", 2_000_000_000]]) };
    expect(commonOf(usage("/"), before).cpu.usageNanoCores).toBe(500_000_000);
  });

  test("the default interface stands beside the list of all, where there is one of that name", () => {
    const face = (name: string) => ({
      ...{ name, rxBytes: 1, rxPackets: 9, rxErrors: 2, rxDropped: 9 },
      ...{ txBytes: 3, txPackets: 9, txErrors: 4, txDropped: 9 },
    });
    const recorded = (name: string) => ({ name, rxBytes: 1, rxErrors: 2, txBytes: 3, txErrors: 4 });
    expect(networkOf({ at: AT, interfaces: [face("lan1"), face("eth0")] })).toEqual({
      time: TIME,
      ...recorded("eth0"),
      interfaces: [recorded("lan1"), recorded("eth0")],
    });
    expect(networkOf({ at: AT, interfaces: [face("lan1")] })).toEqual({ time: TIME, interfaces: [recorded("lan1")] });
    const networks = new Map([["uid-web", { at: AT, interfaces: [face("eth0")] }]]);
    expect(podStatistics({ ...input, networks })[0]?.network).toMatchObject(recorded("eth0"));
  });

  test("the cgroup of all pods is a system container without swap to spare; where it is not there, there is none", () => {
    expect(podsContainer(usage("/kubepods"), undefined, 4_000)).toMatchObject([
      { name: "pods", startTime: "1970-01-01T00:00:04Z", swap: { time: TIME, swapUsageBytes: 5 } },
    ]);
    expect(podsContainer(usage("/kubepods"), undefined, 0)[0]?.swap).not.toHaveProperty("swapAvailableBytes");
    expect(podsContainer(undefined, undefined, 0)).toEqual([]);
  });
});

describe("a file system", () => {
  const all: FileSystem = {
    at: AT,
    capacityBytes: 1000,
    availableBytes: 300,
    freeBytes: 350,
    inodes: 100,
    inodesFree: 60,
  } as FileSystem;
  const base = { time: TIME, capacityBytes: 1000, availableBytes: 300 };

  test("in use is what is not free: what is kept for root is free", () => {
    expect(fsOf(all)).toEqual({ ...base, usedBytes: 650, inodes: 100, inodesFree: 60, inodesUsed: 40 });
  });

  test("without free bytes, available ones count; reported usage wins", () => {
    const { freeBytes: _, ...rest } = all;
    expect(fsOf(rest).usedBytes).toBe(700);
    expect(fsOf({ ...all, usedBytes: 5, inodesUsed: 6 })).toMatchObject({ usedBytes: 5, inodesUsed: 6 });
  });

  test("without inodes none are reported", () => {
    const { inodes, inodesFree, ...rest } = all;
    expect(fsOf(rest)).toEqual({ ...base, usedBytes: 650 });
    expect(fsOf({ ...rest, ...(inodes !== undefined && { inodes }) })).toEqual({
      ...base,
      usedBytes: 650,
      inodes: 100,
    });
    expect(fsOf({ ...rest, ...(inodesFree !== undefined && { inodesFree }) })).toEqual({
      ...base,
      usedBytes: 650,
      inodesFree: 60,
    });
  });
});

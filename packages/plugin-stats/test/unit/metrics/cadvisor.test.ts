import { expect, test } from "@jest/globals";
import { cadvisorSamples } from "../../../src/metrics/cadvisor.js";
import { readNodeUsage } from "../../../src/node-usage.js";
import { readProcessCounts, readTree } from "../../../src/tree.js";
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

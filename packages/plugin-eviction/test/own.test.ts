import { expect, test } from "@jest/globals";
import { readOwn } from "../src/readings/own.js";
import { limited, plain, readings } from "./readings.js";

test("disks come from the runtime port; what the kernel does not tell gives no signal", async () => {
  const { node } = await readOwn(readings(), () => []);
  const fs = { time: "1970-01-01T00:00:00.000Z", capacityBytes: 1000, availableBytes: 400, inodes: 10, inodesFree: 4 };
  expect(node).toEqual({ fs, runtime: { imageFs: fs, containerFs: fs } });
});

test("for limits only volumes that have one are measured, and nothing before somebody asks for the pods", async () => {
  const ports = readings();
  const read = await readOwn(ports, () => [limited, plain]);
  expect(ports.measured).toEqual([]);
  const { uid, name, namespace } = limited.metadata;
  expect(await read.pods("limits")).toEqual([
    {
      podRef: { uid, name, namespace },
      containers: [],
      volume: [{ name: "data", usedBytes: 77, inodesUsed: 3 }],
      "ephemeral-storage": { usedBytes: 77 },
    },
  ]);
  expect(ports.measured).toEqual([`/${uid}/data`]);
});

test("containers' statistics become those of their pod", async () => {
  const labels = { "io.kubernetes.pod.uid": plain.metadata.uid, "io.kubernetes.container.name": "main" };
  const ports = readings({
    listContainerStats: async () => [
      { id: "1", labels, memoryWorkingSetBytes: 100, writableLayerUsedBytes: 10 },
      { id: "2", labels: {}, memoryWorkingSetBytes: 5 },
    ],
  });
  const measured = () => ports.measured.map((path) => path.replaceAll(plain.metadata.uid, "uid"));
  const [statistics] = await (await readOwn(ports, () => [plain])).pods("ephemeral-storage");
  expect(statistics).toMatchObject({
    containers: [
      { name: "main", memory: { workingSetBytes: 100 }, rootfs: { usedBytes: 10 }, logs: { usedBytes: 77 } },
    ],
    memory: { workingSetBytes: 100 },
    volume: [{ name: "data" }, { name: "cache" }],
    "ephemeral-storage": { usedBytes: 10 + 3 * 77 },
  });
  expect(measured()).toEqual(["/logs/default_plain_uid/main", "/uid/data", "/uid/cache"]);
});

test("a folder that cannot be measured leaves the rest of the pod's usage", async () => {
  const ports = readings({
    diskUsage: async (path) => {
      if (path.endsWith("data")) throw new Error("no such folder");
      return { usedBytes: 5, inodesUsed: 1 };
    },
  });
  const [statistics] = await (await readOwn(ports, () => [limited])).pods("inodes");
  expect(statistics?.volume?.map(({ name }) => name)).toEqual(["cache"]);
  expect(ports.measured).toEqual([`not /${limited.metadata.uid}/data`]);
});

test.each([
  { name: "cgroup v1", text: "9:pids:/kubepods/pod1/abc\n8:cpu:/kubepods/pod1/abc\n" },
  { name: "systemd", text: "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-abc.scope\n" },
  { name: "cgroup v2", text: "0::/hooklet/pod1/abc\n" },
  { name: "an id with dashes", id: "hk-1-a", text: "9:pids:/hooklet/pod1/hk-1-a\n" },
])("processes are counted by their cgroups: $name", async ({ text, id = "abc" }) => {
  const labels = { "io.kubernetes.pod.uid": plain.metadata.uid, "io.kubernetes.container.name": "main" };
  const kernel = {
    read: (path: string) => (["/proc/7/cgroup", "/proc/8/cgroup"].includes(path) ? text : "0::/other\n"),
    directories: () => ["7", "8", "9", "sys"],
  };
  const ports = readings({ kernel, listContainerStats: async () => [{ id, labels }] });
  const [statistics] = await (await readOwn(ports, () => [plain])).pods("pids");
  expect(statistics?.process_stats).toEqual({ process_count: 2 });
});

test("when disks are slow, who reads and writes is asked twice, a second apart", async () => {
  const labels = { "io.kubernetes.pod.uid": plain.metadata.uid };
  let written = 1000;
  const files = (path: string): string | undefined =>
    ({ "/proc/7/cgroup": "0::/pod1/abc\n", "/proc/7/io": `read_bytes: 0\nwrite_bytes: ${written}\n` })[path];
  const ports = readings({
    kernel: { read: files, directories: () => ["7"] },
    listContainerStats: async () => [{ id: "abc", labels }],
    pause: async (milliseconds) => {
      expect(milliseconds).toBe(1000);
      written += 5000;
    },
  });
  const [statistics] = await (await readOwn(ports, () => [plain])).pods("io");
  expect(statistics?.moved).toEqual({ bytesPerSecond: 5000 });
});

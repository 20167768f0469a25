import { describe, expect, test } from "@jest/globals";
import { completed, type OwnReadings, readOwn } from "../src/readings/own.js";
import { pod, statisticsOf } from "./pods.js";

const disk = { device: "8:1", capacityBytes: 1000, availableBytes: 400, inodes: 10, inodesFree: 4, at: 0 };
const limited = pod("limited", {}, { spec: { volumes: [volume("data", "1Gi"), volume("cache", undefined)] } });
const plain = pod("plain");

function volume(name: string, sizeLimit: string | undefined) {
  return { name, emptyDir: sizeLimit === undefined ? {} : { sizeLimit } };
}

function readings(parts: Partial<OwnReadings> = {}): OwnReadings & { readonly measured: string[] } {
  const measured: string[] = [];
  return {
    measured,
    now: () => 0,
    pause: async () => undefined,
    kernel: { read: () => undefined, directories: () => [] },
    podsCgroup: "",
    fileSystems: async () => ({ node: disk, image: disk, container: disk }),
    listContainerStats: async () => [],
    volumeDirectories: (uid) => ["data", "cache"].map((name) => ({ name, path: `/${uid}/${name}` })),
    podLogsDir: async () => "/logs",
    diskUsage: async (path) => {
      measured.push(path);
      return { usedBytes: 77, inodesUsed: 3 };
    },
    unmeasured: (path) => void measured.push(`not ${path}`),
    ...parts,
  };
}

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

describe("what a provider tells of storage", () => {
  const lately = "1970-01-01T00:00:00Z";
  const told = (time: string) => ({
    ...statisticsOf(limited, { disk: 10 }),
    containers: [{ name: "main", rootfs: { usedBytes: 10 }, logs: { time, usedBytes: 20 } }],
    volume: [{ name: "data", time, usedBytes: 30 }],
    "ephemeral-storage": { usedBytes: 61 },
  });
  const ask = async (what: Parameters<typeof completed>[3], time = lately, now = 5_000) => {
    const ports = readings({ now: () => now });
    const [statistics] = await completed(ports, [limited], [told(time)], what);
    return { statistics, measured: ports.measured.map((path) => path.split("/").at(-1)) };
  };

  test("is good enough for a limit; what is not told is measured", async () => {
    const { statistics, measured } = await ask("limits", lately, 10_000_000);
    expect(measured).toEqual([]);
    expect(statistics?.["ephemeral-storage"]).toEqual({ usedBytes: 61 });
  });

  test("is taken for a full disk when it is of lately, beside what is measured", async () => {
    const { statistics, measured } = await ask("ephemeral-storage");
    expect(measured).toEqual(["cache"]);
    expect(statistics?.volume?.map(({ name, usedBytes }) => `${name} ${usedBytes}`)).toEqual(["data 30", "cache 77"]);
    expect(statistics?.["ephemeral-storage"]).toEqual({ usedBytes: 10 + 20 + 30 + 77 });
  });

  test("is measured anew for a full disk when it is older than 10 s", async () => {
    const { statistics, measured } = await ask("ephemeral-storage", lately, 10_000);
    expect(measured.sort()).toEqual(["cache", "data", "main"]);
    expect(statistics?.containers?.[0]?.logs).toEqual({ usedBytes: 77, inodesUsed: 3 });
  });

  test.each(["memory", "pids"] as const)("does not matter when %s runs short", async (what) => {
    expect((await ask(what, lately, 10_000_000)).measured).toEqual([]);
  });
});

test("a volume in memory is measured for its own limit, and is no storage of the node", async () => {
  const shm = pod(
    "shm",
    {},
    { spec: { volumes: [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } }] } },
  );
  const ports = readings({ volumeDirectories: () => [{ name: "shm", path: "/shm", medium: "Memory" }] });
  const [statistics] = await (await readOwn(ports, () => [shm])).pods("limits");
  expect(statistics?.volume).toEqual([{ name: "shm", usedBytes: 77, inodesUsed: 3 }]);
  expect(statistics?.["ephemeral-storage"]).toEqual({ usedBytes: 0 });
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

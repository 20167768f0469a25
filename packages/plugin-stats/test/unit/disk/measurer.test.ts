import type { NodeContext, Pod } from "@hooklet/core";
import { SimulatedHost, VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { DiskMeasurer } from "../../../src/disk/measurer.js";
import { podDisk } from "../../../src/disk/usage.js";
import { aPod } from "../world.js";

const MINUTE = 60_000;
const KIB = 1024;

type Stats = Awaited<ReturnType<NodeContext["runtime"]["listContainerStats"]>>;

function aNode(options: { readonly period?: number | undefined } = { period: MINUTE }) {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock });
  const asked = { layers: 0 };
  const volumeTimes: number[] = [];
  const state: { stats: Stats; failing: boolean } = { stats: [], failing: false };
  const ctx = {
    clock,
    host,
    signal: new AbortController().signal,
    log: { debug: () => undefined },
    node: { rootDir: "/root" },
    runtime: {
      facts: async () => ({ podLogsDir: "/logs" }),
      listContainerStats: async () => {
        asked.layers++;
        if (state.failing) throw new Error("away");
        return state.stats;
      },
    },
    pods: {
      volumeDirectories: (uid: string) => [
        { name: "data", path: `/root/pods/${uid}/data`, medium: "" },
        { name: "fast", path: `/root/pods/${uid}/fast`, medium: "Memory" },
      ],
    },
  } as unknown as ConstructorParameters<typeof DiskMeasurer>[0]["ctx"];
  const measurer = new DiskMeasurer({
    ctx,
    period: options.period,
    volumeTook: (seconds) => volumeTimes.push(seconds),
  });
  const log = (pod: Pod, file: string): string => {
    const { name, namespace, uid } = pod.metadata;
    return `/logs/${namespace}_${name}_${uid}/main/${file}`;
  };
  const counted = (path: string): number =>
    host.calls.filter((call) => call.operation === "diskUsage" && call.path === path).length;
  return { clock, host, measurer, asked, state, volumeTimes, log, counted };
}

const web = aPod("web");
const data = "/root/pods/uid-web/data";

test("a pod that was never measured is measured at once: volumes, each log file, layers, the hosts file, termination logs", async () => {
  const { host, measurer, state, log, volumeTimes } = aNode();
  for (const file of ["0.log", "0.log.1"]) {
    host.kernel.set(log(web, file), "x");
    host.setDiskUsage(log(web, file), { usedBytes: 4 * KIB, inodesUsed: 1 });
  }
  host.setDiskUsage(data, { usedBytes: 100 * KIB, inodesUsed: 7 });
  host.kernel.set("/root/pods/uid-web/etc-hosts", "127.0.0.1 localhost");
  host.kernel.set("/root/pods/uid-web/containers/main/0123abcd", "last words");
  host.setDiskUsage("/root/pods/uid-web/containers", { usedBytes: 50 * KIB, inodesUsed: 3 });
  state.stats = [{ id: "c1", labels: {}, writableLayerUsedBytes: 8 * KIB, writableLayerInodesUsed: 5 }];
  const { disks, layers } = await measurer.read([web]);
  const disk = disks.get("uid-web");
  expect(disk?.logs.get("main")).toMatchObject({ usedBytes: 8 * KIB, inodesUsed: 2 });
  expect(disk?.volumes).toMatchObject([
    { name: "data", usedBytes: 100 * KIB, ephemeral: true },
    { name: "fast", ephemeral: false, fileSystem: { device: "8:1" } },
  ]);
  expect(disk?.ownFiles).toMatchObject({ usedBytes: 54 * KIB, inodesUsed: 4 });
  expect(layers.get("c1")).toMatchObject({ usedBytes: 8 * KIB, inodesUsed: 5 });
  expect(volumeTimes).toHaveLength(2);
});

test("the log of an ephemeral container is its own, not one that is no container's", async () => {
  const { host, measurer, log } = aNode();
  const debugged = { ...web, spec: { ...web.spec, ephemeralContainers: [{ name: "shell", image: "tools:1" }] } } as Pod;
  const file = log(web, "0.log").replace("/main/", "/shell/");
  host.kernel.set(file, "x");
  host.setDiskUsage(file, { usedBytes: 4 * KIB, inodesUsed: 1 });
  const { disks } = await measurer.read([debugged]);
  expect(disks.get("uid-web")?.logs.get("shell")).toMatchObject({ usedBytes: 4 * KIB });
});

test("however often it is read, everything is measured once a period", async () => {
  const { clock, measurer, asked, counted } = aNode();
  for (let read = 0; read < 18; read++) {
    await measurer.read([web]);
    await clock.advance(10_000);
  }
  expect([counted(data), asked.layers]).toEqual([3, 3]);
});

test("nothing is measured without readers", async () => {
  const { clock, measurer, counted } = aNode();
  await measurer.read([web]);
  await clock.advance(60 * MINUTE);
  expect(counted(data)).toBe(1);
});

test("old results are reported while they are measured again", async () => {
  const { clock, host, measurer } = aNode();
  host.setDiskUsage(data, { usedBytes: 1, inodesUsed: 1 });
  await measurer.read([web]);
  await clock.advance(MINUTE);
  host.setDiskUsage(data, { usedBytes: 2, inodesUsed: 1 });
  host.delay("diskUsage", 5_000);
  const used = async () => (await measurer.read([web])).disks.get("uid-web")?.volumes[0]?.usedBytes;
  expect(await used()).toBe(1);
  await clock.advance(6_000);
  expect(await used()).toBe(2);
});

test("a reader waits for a new pod a second at most", async () => {
  const { clock, host, measurer } = aNode();
  host.delay("diskUsage", 20_000);
  let answered = false;
  const reading = measurer.read([web]).then((answer) => {
    answered = true;
    return answer;
  });
  await clock.advance(900);
  expect(answered).toBe(false);
  await clock.advance(200);
  expect((await reading).disks.size).toBe(0);
  await clock.advance(20_000);
  expect((await measurer.read([web])).disks.size).toBe(1);
});

test("a new pod does not make the others be measured before their time", async () => {
  const { clock, measurer, counted, asked } = aNode();
  await measurer.read([web]);
  await clock.advance(10_000);
  await measurer.read([web, aPod("db")]);
  expect([counted(data), counted("/root/pods/uid-db/data"), asked.layers]).toEqual([1, 1, 1]);
});

test("what cannot be measured is missing, the rest is reported; an unavailable runtime is called again", async () => {
  const { clock, host, measurer, state } = aNode();
  host.fail("diskUsage", data, "EIO");
  state.failing = true;
  const first = await measurer.read([web]);
  expect(first.disks.get("uid-web")?.volumes.map(({ name }) => name)).toEqual(["fast"]);
  expect(first.layers.size).toBe(0);
  state.failing = false;
  state.stats = [{ id: "c1", labels: {}, writableLayerUsedBytes: 1 }];
  await clock.advance(MINUTE);
  await measurer.read([web]);
  await clock.settle();
  expect((await measurer.read([web])).layers.get("c1")?.usedBytes).toBe(1);
});

test("a layer that the runtime does not count is counted where it lies", async () => {
  const { host, measurer, state } = aNode();
  host.setDiskUsage("/layers/c1", { usedBytes: 12 * KIB, inodesUsed: 3 });
  state.stats = [{ id: "c1", labels: {}, writableLayerDirectory: "/layers/c1" }];
  expect((await measurer.read([web])).layers.get("c1")).toMatchObject({ usedBytes: 12 * KIB, inodesUsed: 3 });
});

test("pods that are gone are forgotten", async () => {
  const { measurer, counted } = aNode();
  await measurer.read([web]);
  await measurer.read([]);
  await measurer.read([web]);
  expect(counted(data)).toBe(2);
});

test("switched off, nothing is measured at all", async () => {
  const { measurer, host, asked } = aNode({ period: undefined });
  expect((await measurer.read([web])).disks.size).toBe(0);
  expect([host.calls.length, asked.layers]).toEqual([0, 0]);
});

test("what has to be new is measured before its period is over, and waited for", async () => {
  const { clock, host, measurer, asked } = aNode();
  host.setDiskUsage(data, { usedBytes: 1, inodesUsed: 1 });
  await measurer.read([web]);
  await clock.advance(9_000);
  await measurer.fresh([web], 10_000);
  expect(asked.layers).toBe(1);
  await clock.advance(1_000);
  host.setDiskUsage(data, { usedBytes: 2, inodesUsed: 1 });
  host.delay("diskUsage", 5_000);
  const fresh = measurer.fresh([web], 10_000);
  await clock.advance(6_000);
  await fresh;
  expect((await measurer.read([web])).disks.get("uid-web")?.volumes[0]?.usedBytes).toBe(2);
  expect(asked.layers).toBe(2);
});

test("a reader of fresh results waits for a hanging disk 20 s at most", async () => {
  const { clock, host, measurer } = aNode();
  host.delay("diskUsage", 1_000_000);
  let done = false;
  const fresh = measurer.fresh([web], 0).then(() => {
    done = true;
  });
  await clock.advance(19_000);
  expect(done).toBe(false);
  await clock.advance(1_500);
  await fresh;
});

test("what is asked for is measured also where nothing else is", async () => {
  const { measurer } = aNode({ period: undefined });
  await measurer.fresh([web], 10_000);
  expect((await measurer.read([web])).disks.size).toBe(1);
});

test("ephemeral storage is the sum that a real kubelet reported: writable layer, logs and hosts file; memory does not count", () => {
  const at = 1_000;
  const disk = {
    logs: new Map([["main", { at, usedBytes: 0, inodesUsed: 1 }]]),
    podLogs: undefined,
    volumes: [{ at, name: "fast", usedBytes: 999, inodesUsed: 9, ephemeral: false, fileSystem: undefined }],
    ownFiles: { at, usedBytes: 4096, inodesUsed: 1 },
  };
  const layers = new Map([["c1", { at: 2_000, usedBytes: 8192, inodesUsed: 5 }]]);
  const recorded = podDisk({ disk, layers, nodeFs: undefined, containerFs: undefined }, ["c1"]);
  expect(recorded["ephemeral-storage"]).toEqual({ time: "1970-01-01T00:00:01Z", usedBytes: 12288, inodesUsed: 7 });
  expect(recorded.volume).toMatchObject([{ name: "fast", usedBytes: 999 }]);
});

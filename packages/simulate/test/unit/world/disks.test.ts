import { KernelTree } from "@hooklet/sim";
import { expect, test } from "@jest/globals";
import { Disks, PodData } from "../../../src/world/disks.js";

const GIB = 1024 ** 3;
const image = { capacity: "10Gi", available: "6Gi" };
/** Available GiB for images and for the node. */
const free = (disks: Disks) => [Number(disks.imageFs().available) / GIB, disks.node().availableBytes / GIB];

test("without a size a disk has 100 GiB, of which 60 are available, and never more available than it has", () => {
  const disks = new Disks({}, undefined, () => 0);
  expect([disks.node().capacityBytes / GIB, ...free(disks)]).toEqual([100, 60, 60]);
  expect(free(new Disks({ capacity: "5Gi" }, { capacity: "3Gi" }, () => 0))).toEqual([5, 3]);
});

test("images, layers, volumes and the system share one disk", () => {
  let images = 0;
  const disks = new Disks(image, undefined, () => images);
  images = GIB;
  disks.growLayers(GIB);
  disks.setPath("/v", GIB);
  disks.setSystem(GIB);
  expect(free(disks)).toEqual([2, 2]);
  disks.setPath("/v", 2 * GIB);
  expect(free(disks)).toEqual([1, 1]);
  expect(disks.usageOf("/v")).toEqual({ usedBytes: 2 * GIB, inodesUsed: 1 });
  disks.setPath("/v", undefined);
  disks.setSystem(0);
  expect([...free(disks), disks.usageOf("/v")]).toEqual([4, 4, undefined]);
});

test("with two disks images and layers take space on one, volumes and the system on the other", () => {
  const disks = new Disks(image, { capacity: "20Gi", available: "9Gi" }, () => 0);
  expect(disks.imageFs().device).not.toBe(disks.node().device);
  disks.growLayers(GIB);
  disks.setPath("/v", 2 * GIB);
  disks.setSystem(GIB);
  expect(free(disks)).toEqual([5, 6]);
});

test("what is set for the node counts from then on, and leaves the rest as it is", () => {
  const disks = new Disks(image, undefined, () => 0);
  disks.setPath("/v", GIB);
  disks.setNode({ available: "2Gi", inodesFree: 7 });
  disks.setPath("/v", 2 * GIB);
  expect(free(disks)).toEqual([1, 1]);
  expect(disks.node()).toMatchObject({ capacityBytes: 10 * GIB, inodes: 6_000_000, inodesFree: 7 });
  disks.setNode({ capacity: "20Gi", inodes: 9 });
  expect(free(disks)).toEqual([1, 1]);
  expect(disks.node()).toMatchObject({ capacityBytes: 20 * GIB, inodes: 9, inodesFree: 7 });
});

test("too much on a disk leaves nothing available", () => {
  const disks = new Disks(image, undefined, () => 0);
  disks.growLayers(7 * GIB);
  expect([...free(disks), disks.imageFree() / GIB]).toEqual([0, 0, -1]);
  disks.growLayers(-20 * GIB);
  expect(free(disks)).toEqual([10, 10]);
});

test("a small disk is all available at first, and what comes takes of that", () => {
  const disks = new Disks({ capacity: "5Gi" }, { capacity: "3Gi" }, () => 0);
  disks.growLayers(GIB);
  disks.setPath("/v", GIB);
  expect(free(disks)).toEqual([4, 2]);
});

test("a disk without a size beside another one has 60 GiB available as well", () => {
  expect(free(new Disks({}, {}, () => 0))).toEqual([60, 60]);
});

test("what is set for images leaves the node's own disk as it is", () => {
  const disks = new Disks({}, { available: "9Gi" }, () => 0);
  disks.setPath("/v", GIB);
  disks.setImage({ available: "2Gi" });
  expect([...free(disks), disks.system]).toEqual([2, 8, 0]);
  disks.setSystem(GIB);
  expect([...free(disks), disks.system]).toEqual([2, 7, GIB]);
});

function podData() {
  const disks = new Disks(image, undefined, () => 0);
  const kernel = new KernelTree();
  kernel.addFolder("/logs");
  const pod = (...volumes: readonly object[]) => ({ metadata: { uid: "u", name: "web" }, spec: { volumes } }) as never;
  const container = { id: "c", logPath: "/logs/0.log" } as never;
  return { disks, kernel, pod, container, data: new PodData("/root", disks, kernel) };
}

test("data of a pod lies in its first emptyDir on disk, its logs at their path, until each is removed", () => {
  const { disks, kernel, pod, container, data } = podData();
  const web = pod(
    { name: "config", configMap: {} },
    { name: "memory", emptyDir: { medium: "Memory" } },
    { name: "data", emptyDir: {} },
    { name: "more", emptyDir: {} },
  );
  expect(data.used("u", "c")).toEqual({ volumes: 0, logs: 0 });
  data.set(web, container, { volumes: GIB, logs: 2 * GIB });
  const volume = "/root/pods/u/volumes/kubernetes.io~empty-dir/data";
  expect([disks.usageOf(volume)?.usedBytes, disks.usageOf("/logs/0.log")?.usedBytes]).toEqual([GIB, 2 * GIB]);
  expect([data.used("u", "c"), kernel.read("/logs/0.log")]).toEqual([{ volumes: GIB, logs: 2 * GIB }, ""]);
  data.set(web, container, { logs: GIB });
  expect(data.used("u", "c")).toEqual({ volumes: GIB, logs: GIB });
  data.remove("c");
  data.remove("c");
  expect([data.used("u", "c"), kernel.read("/logs/0.log"), ...free(disks)]).toEqual([
    { volumes: GIB, logs: 0 },
    undefined,
    5,
    5,
  ]);
  data.remove("u");
  expect(free(disks)).toEqual([6, 6]);
});

test.each([
  ["no volumes", []],
  ["volumes in memory alone", [{ name: "m", emptyDir: { medium: "Memory" } }]],
  ["other volumes", [{ name: "c", configMap: {} }]],
])("a pod with %s holds no data", (_name, volumes) => {
  const { pod, container, data } = podData();
  expect(() => data.set(pod(...volumes), container, { volumes: 1 })).toThrow(
    "pod web has no emptyDir that could hold data",
  );
  data.set(pod(...volumes), container, {});
  expect(data.used("u", "c")).toEqual({ volumes: 0, logs: 0 });
});

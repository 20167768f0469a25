import { expect, test } from "@jest/globals";
import { Disks } from "../../../src/world/disks.js";

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

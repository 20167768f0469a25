import { expect, test } from "@jest/globals";
import { SimulatedImages } from "../../../src/runtime/images.js";

const MIB = 1024 ** 2;

test("an image has an id, digests and 64 MiB of its own", () => {
  const images = new SimulatedImages([{ names: ["web", "reg:5000/a"] }], {}, undefined, {});
  const [image] = images.list();
  expect(image).toEqual({
    id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    repoTags: ["web:latest", "reg:5000/a:latest"],
    repoDigests: [`web@${image?.id}`, `reg:5000/a@${image?.id}`],
    size: 64 * MIB,
    pinned: false,
  });
});

test("or what is said of it", () => {
  const given = { id: "sha256:1", names: ["web:1", "web@sha256:2"], size: 5, pinned: true, uid: 7, username: "me" };
  const images = new SimulatedImages([given], {}, undefined, {});
  const { names: _, ...rest } = given;
  expect(images.list()).toEqual([{ ...rest, repoTags: ["web:1"], repoDigests: ["web@sha256:1", "web@sha256:2"] }]);
});

test("an image is found by its id, a tag, or a digest", () => {
  const images = new SimulatedImages([{ id: "sha256:1", names: ["web"] }], {}, undefined, {});
  const found = ["sha256:1", "web", "web:latest", "web@sha256:1", "web:2", "web@sha256:2"].map(
    (name) => images.find(name) !== undefined,
  );
  expect(found).toEqual([true, true, true, true, false, false]);
});

test("a tag names the newest image that has it; one of the same id gains names", () => {
  const images = new SimulatedImages([{ id: "sha256:1", names: ["web:1", "old:1"] }], {}, undefined, {});
  images.add({ id: "sha256:2", names: ["web:1"] });
  images.add({ id: "sha256:2", names: ["new:1"] });
  expect(images.list().map(({ id, repoTags }) => [id, repoTags])).toEqual([
    ["sha256:1", ["old:1"]],
    ["sha256:2", ["web:1", "new:1"]],
  ]);
});

test("a pull brings what the registry has, else an image of that name", () => {
  const images = new SimulatedImages([], {}, undefined, {});
  images.publish({ id: "sha256:9", names: ["web", "web:2"], pullTime: 500 });
  images.publish({ names: ["quick:1"] });
  expect(["web:latest", "web", "web:2", "quick:1", "other"].map((name) => images.pullTime(name))).toEqual([
    500, 500, 500, 0, 0,
  ]);
  expect(images.pull("web")).toMatchObject({ image: { id: "sha256:9" }, isNew: true });
  expect(images.pull("web:2")).toMatchObject({ image: { id: "sha256:9" }, isNew: false });
  expect(images.pull("other:1")).toMatchObject({ image: { repoTags: ["other:1"] }, isNew: true });
});

test.each(["reg.invalid/web", "reg.invalid:5000/web"])("the registry of %s is not there", (name) => {
  const images = new SimulatedImages([], {}, undefined, {});
  const host = name.split("/")[0];
  expect(() => images.pull(name)).toThrow(
    `failed to resolve reference "${name}": dial tcp: lookup ${host}: no such host`,
  );
  images.publish({ names: [name] });
  expect(images.pull(name).isNew).toBe(true);
});

test("a removed image is gone, and watchers see it", () => {
  const seen: unknown[] = [];
  const images = new SimulatedImages([{ id: "sha256:1", names: ["web:1"], size: 5 }], {}, undefined, {
    imageRemoved: (...image) => seen.push(image),
  });
  images.remove("gone:1");
  images.remove("web:1");
  expect([images.list(), seen]).toEqual([[], [["sha256:1", ["web:1"], 5]]]);
});

test("what is free shrinks and grows with the images, within what the disk has", () => {
  const free = (images: SimulatedImages): unknown => images.fileSystem().availableBytes;
  const images = new SimulatedImages(
    [{ names: ["a:1"], size: 10 }],
    { capacity: 100, available: 50, inodes: 3 },
    undefined,
    {},
  );
  expect(images.fileSystem()).toEqual({
    mountpoint: "/var/lib/simulated/images",
    usedBytes: 10,
    inodesUsed: 1000,
    capacityBytes: 100,
    availableBytes: 50,
    inodes: 3,
  });
  images.add({ names: ["b:1"], size: 45 });
  expect(free(images)).toBe(5);
  images.add({ names: ["c:1"], size: 45 });
  expect(free(images)).toBe(0);
  images.remove("c:1");
  images.remove("b:1");
  images.remove("a:1");
  expect(free(images)).toBe(60);
  images.setFileSystem({ available: 1000 });
  expect(free(images)).toBe(100);
  expect(new SimulatedImages([], {}, undefined, {}).fileSystem().capacityBytes).toBe(100 * 1024 ** 3);
});

test("a pulled image that does not fit on the disk goes again", () => {
  let left = 0;
  const seen: unknown[] = [];
  const disk = { imageFs: () => ({ capacity: 7 }), imageFree: () => left };
  const images = new SimulatedImages([], {}, disk, { pulled: (...pull) => seen.push(pull) });
  const { image } = images.pull("web:1");
  images.pulled("web:1", image);
  expect([images.list().length, seen]).toEqual([1, [["web:1", image.id, 64 * MIB]]]);
  left = -1;
  expect(() => images.pulled("web:1", image)).toThrow(
    'failed to pull and unpack image "web:1": failed to extract layer: write: no space left on device',
  );
  expect([images.list(), images.fileSystem().capacityBytes, seen.length]).toEqual([[], 7, 1]);
});

import type { Image } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { ImageUse } from "../../../src/images/image-records.js";
import { imagesByName, seenImages, usesByContainer, usesOf } from "../../../src/images/listed.js";

const image = (id: string, parts: Partial<Image> = {}): Image => ({
  id,
  repoTags: [`example/${id}:1`],
  repoDigests: [],
  size: 10,
  pinned: false,
  ...parts,
});

describe("a size", () => {
  test.each([
    { name: "no number", size: Number.NaN, bytes: 0 },
    { name: "below nothing", size: -5, bytes: 0 },
    { name: "a part of a byte", size: 1.5, bytes: 1 },
    { name: "more than can be counted", size: 2 ** 64, bytes: Number.MAX_SAFE_INTEGER },
    { name: "without end", size: Number.POSITIVE_INFINITY, bytes: Number.MAX_SAFE_INTEGER },
  ])("that is $name counts as $bytes bytes", ({ size, bytes }) => {
    expect(seenImages([image("a", { size })])[0]?.size).toBe(bytes);
  });

  test("can be added up, whatever the runtime reports", () => {
    fc.assert(
      fc.property(fc.array(fc.double()), (sizes) => {
        const seen = seenImages(sizes.map((size, index) => image(String(index), { size })));
        return Number.isFinite(seen.reduce((sum, { size }) => sum + size, 0));
      }),
    );
  });
});

test("an image that is listed twice is one, with all its names, and pinned when either is", () => {
  const twice = [image("a"), image("a", { repoTags: ["other:1"], pinned: true, size: 20 })];
  expect(seenImages(twice)).toEqual([{ id: "a", names: ["example/a:1", "other:1"], pinned: true, size: 20 }]);
});

test("an entry without an id is left out: nothing could ever remove it", () => {
  expect(seenImages([image(""), image("a")]).map(({ id }) => id)).toEqual(["a"]);
});

test("an id that is listed for two runtime handlers is two images", () => {
  const both = [image("a"), image("a", { runtimeHandler: "kata" })];
  expect(seenImages(both).map(({ id, handler }) => [id, handler])).toEqual([
    ["a", undefined],
    ["a", "kata"],
  ]);
});

describe("the uses of an image", () => {
  const listed = seenImages([
    image("a", { repoDigests: ["example/a@sha256:1"] }),
    image("b"),
    image("b", { runtimeHandler: "kata" }),
    image("c", { runtimeHandler: "kata" }),
    image("d", { repoTags: ["shared:1"] }),
    image("e", { repoTags: ["shared:1"] }),
  ]);
  const users = (name: string, handler?: string): readonly string[] =>
    reported(usesByContainer(imagesByName(listed), name, "container", handler));
  const reported = (uses: readonly ImageUse[]): readonly string[] =>
    uses.map(({ imageId, handler: own }) => (own === undefined ? imageId : `${imageId} for ${own}`));

  test.each([
    { name: "by its id", image: "a", handler: undefined, used: ["a"] },
    { name: "by a digest, as some runtimes write it", image: "example/a@sha256:1", handler: undefined, used: ["a"] },
    { name: "for a handler uses that one alone", image: "b", handler: "kata", used: ["b for kata"] },
    { name: "for no handler uses that one alone", image: "b", handler: undefined, used: ["b"] },
    {
      name: "for a handler that no image is listed for uses them all",
      image: "b",
      handler: "gvisor",
      used: ["b", "b for kata"],
    },
    {
      name: "for no handler where each is for one uses them all",
      image: "c",
      handler: undefined,
      used: ["c for kata"],
    },
    { name: "by a name that two images claim uses both", image: "shared:1", handler: undefined, used: ["d", "e"] },
    { name: "that is not listed uses that id", image: "sha256:new", handler: undefined, used: ["sha256:new"] },
  ])("$name", ({ image: name, handler, used }) => {
    expect(users(name, handler)).toEqual(used);
  });

  test("a pod without containers uses it for every handler", () => {
    expect(reported(usesOf(imagesByName(listed), "example/b:1", "pod"))).toEqual(["b", "b for kata"]);
  });
});

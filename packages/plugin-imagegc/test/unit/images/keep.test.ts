import { describe, expect, test } from "@jest/globals";
import type { ImageRecord } from "../../../src/index.js";
import { candidatesOf, detect, type ImagePolicy, why } from "../../../src/internal.js";
import { MINUTE, policy, record } from "./images.js";

function kept(images: readonly ImageRecord[], rules: Partial<ImagePolicy>, users: Record<string, string[]> = {}) {
  const detection = { records: new Map(images.map((one) => [one.key, one])), inUse: new Map(Object.entries(users)) };
  const input = { policy: policy(rules), now: 60 * MINUTE };
  const sorted = candidatesOf(detection, input.policy);
  return {
    candidates: sorted.candidates.map(({ id }) => id),
    kept: sorted.kept.map((one) => `${one.image.id}: ${one.verdict} ${why(one, input)}`),
  };
}

test("an image in use names its users, and the number of further ones", () => {
  const users = ["container default/web/main", "container default/web/side", "pod default/job", "container a/b/c"];
  expect(kept([record("a")], {}, { a: users }).kept).toEqual([
    "a: in use by container default/web/main, container default/web/side, pod default/job and 1 more",
  ]);
});

test("every use of an image is listed, and an image of one handler is not used through that of another", () => {
  const image = { id: "a", names: [], size: 1, pinned: false };
  const uses = [
    { imageId: "a", by: "container x" },
    { imageId: "a", handler: "kata", by: "container y" },
    { imageId: "a", by: "container z" },
  ];
  const look = { images: [image, { ...image, handler: "runsc" }], uses, detectedAt: 7, now: 9 };
  const { records, inUse } = detect(new Map(), look);
  expect([...inUse.values()]).toEqual([["container x", "container z"], ["container y"]]);
  expect([...records.values()].map(({ key: _, ...rest }) => rest)).toEqual([
    { ...image, firstDetected: 7, lastUsed: 9 },
    { ...image, handler: "runsc", firstDetected: 7, lastUsed: undefined },
  ]);
  expect([...records.values()][0]).not.toHaveProperty("handler");
});

test("what the runtime pinned stays", () => {
  expect(kept([record("a", { pinned: true })], {}).kept).toEqual(["a: pinned the runtime keeps it"]);
});

describe("protect", () => {
  const names = ["docker.io/library/busybox:1.36", "registry.example:5000/team/web@sha256:00"];
  test.each([
    { pattern: "busybox:1.36", fits: true },
    { pattern: "busybox", fits: true },
    { pattern: "library/busybox", fits: true },
    { pattern: "docker.io/library/busybox:*", fits: true },
    { pattern: "registry.example:5000/*", fits: true },
    { pattern: "registry.example:5000/team/web", fits: true },
    { pattern: "*web*sha256:*", fits: true },
    { pattern: "*", fits: true },
    { pattern: "sha256:image", fits: true },
    { pattern: "busy", fits: false },
    { pattern: "registry.example", fits: false },
    { pattern: "BUSYBOX", fits: false },
    { pattern: "b.sybox", fits: false },
    { pattern: "busybox:1.3", fits: false },
  ])("$pattern: $fits", ({ pattern, fits }) => {
    const image = record("sha256:image", { names });
    expect(kept([image], { protect: [pattern] }).candidates).toEqual(fits ? [] : ["sha256:image"]);
  });

  test("a pattern of many stars against a long name takes no time", () => {
    const image = record("a", { names: [`${"a".repeat(500)}b`] });
    expect(kept([image], { protect: [`${"a*".repeat(100)}c`] }).candidates).toEqual(["a"]);
  });
});

test("candidates come by last use, then by first detection, then by key", () => {
  const images = [
    record("used", { lastUsed: 5 }),
    record("late", { firstDetected: 9 }),
    record("b", { firstDetected: 3 }),
    record("a", { firstDetected: 3 }),
    record("forever", { firstDetected: undefined }),
  ];
  expect(kept(images, {}).candidates).toEqual(["forever", "a", "b", "late", "used"]);
});

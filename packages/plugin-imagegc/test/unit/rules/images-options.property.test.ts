/** What goes beyond the kubelet, for any images and any values. */
import { describe, test } from "@jest/globals";
import fc from "fast-check";
import type { ImageRecord } from "../../../src/index.js";
import type { RoundResult } from "../../../src/internal.js";
import { roundOf, seen, use } from "../images/images.js";
import { TestNode } from "../images/test-node.js";

const NOW = 1001;
const time = fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined });
const scenes = fc
  .record({
    images: fc.array(
      fc.record({
        repository: fc.constantFrom("r/a", "r/b", "other/c"),
        size: fc.integer({ min: 0, max: 50 }),
        firstDetected: time,
        lastUsed: time,
        inUse: fc.boolean(),
      }),
      { maxLength: 25 },
    ),
    protect: fc.subarray(["r/a", "r/*", "other/c:7", "*:3"]),
    maxAge: fc.integer({ min: 0, max: 1200 }),
    available: fc.integer({ min: 0, max: 500 }),
  })
  .map(({ images, available, ...options }) => ({
    records: images.map(
      ({ repository, size, firstDetected, lastUsed }, index): ImageRecord => ({
        key: `i${index}`,
        id: `i${index}`,
        names: [`${repository}:${index}`],
        size,
        pinned: false,
        firstDetected,
        lastUsed,
      }),
    ),
    uses: images.flatMap(({ inUse }, index) => (inUse ? [use(`i${index}`)] : [])),
    policy: { highThresholdPercent: 50, lowThresholdPercent: 20, ...options },
    now: NOW,
    began: -10_000,
    capacity: 500,
    available,
  }));
type OptionScene = typeof scenes extends fc.Arbitrary<infer One> ? One : never;

const removals = (result: RoundResult): readonly ImageRecord[] =>
  result.outcomes.filter(({ verdict }) => verdict === "removed").map(({ image }) => image);
const holds = (name: string, rule: (scene: OptionScene, removed: readonly ImageRecord[]) => boolean) =>
  test(name, () => {
    fc.assert(fc.property(scenes, (scene) => rule(scene, removals(roundOf(scene)))));
  });

describe("for any images, disk and options", () => {
  holds("nothing goes that is protected", ({ policy: { protect } }, removed) =>
    removed.every(({ names: [name = ""] }) => {
      const [repository = "", tag] = name.split(":");
      const fits: Readonly<Record<string, boolean>> = {
        "r/a": repository === "r/a",
        "r/*": repository.startsWith("r/"),
        "other/c:7": name === "other/c:7",
        "*:3": tag === "3",
      };
      return !protect.some((pattern) => fits[pattern]);
    }),
  );
});

test("for any result of a strategy, no image is removed that is in use, pinned or unknown, and none twice", async () => {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(null, undefined, 7, "all", {}, Promise.resolve([])),
    fc.array(fc.oneof(fc.nat(9), fc.constantFrom<unknown>(null, {}, { key: "stranger" }, { key: "used" }))),
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(8), odd, fc.boolean(), async (count, answer, inPlace) => {
      const free = Array.from({ length: count }, (_, index) => `free${index}`);
      const node = new TestNode({
        images: [...free.map((id) => seen(id)), seen("used"), seen("pinned", { pinned: true })],
        order: ({ candidates }) => {
          if (!Array.isArray(answer)) return answer as never;
          const picked = answer.map((one: unknown) => (typeof one === "number" ? candidates[one] : one));
          if (!inPlace) return picked as never;
          const own = candidates as unknown[];
          own.splice(0, own.length, ...picked);
          return candidates;
        },
      });
      node.users = [use("used")];
      const report = await node.collector.collect();
      return (
        [...node.gone].sort().join() === free.join() &&
        report.kept.map(({ image }) => image.id).join() === "used,pinned" &&
        node.gone.length === new Set(node.gone).size
      );
    }),
  );
});

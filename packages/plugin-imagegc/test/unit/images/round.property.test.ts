import { describe, test } from "@jest/globals";
import fc from "fast-check";
import type { ImageRecord } from "../../../src/index.js";
import { candidatesOf, imageRound, type RoundResult, rehearse } from "../../../src/internal.js";
import { roundOf, type Scene } from "./images.js";

const time = fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined });
const scenes: fc.Arbitrary<Scene & { readonly records: readonly ImageRecord[] }> = fc
  .record({
    images: fc.array(
      fc.record({
        size: fc.integer({ min: 0, max: 50 }),
        pinned: fc.boolean(),
        firstDetected: time,
        lastUsed: time,
        inUse: fc.boolean(),
        fails: fc.boolean(),
      }),
      { maxLength: 30 },
    ),
    high: fc.integer({ min: 0, max: 100 }),
    gap: fc.integer({ min: 0, max: 100 }),
    minAge: fc.integer({ min: 0, max: 500 }),
    maxAge: fc.integer({ min: 0, max: 1200 }),
    capacity: fc.integer({ min: 1, max: 500 }),
    available: fc.integer({ min: 0, max: 500 }),
    failing: fc.boolean(),
  })
  .map(({ images, high, gap, minAge, maxAge, capacity, available, failing }) => ({
    records: images.map(({ size, pinned, firstDetected, lastUsed }, index) => ({
      key: `i${index}`,
      id: `i${index}`,
      names: [],
      size,
      pinned,
      firstDetected,
      lastUsed,
    })),
    uses: images.flatMap(({ inUse }, index) => (inUse ? [{ imageId: `i${index}`, by: "container" }] : [])),
    fails: failing ? images.flatMap(({ fails }, index) => (fails ? [`i${index}`] : [])) : [],
    policy: { highThresholdPercent: high, lowThresholdPercent: Math.max(0, high - gap), minAge, maxAge },
    now: 1001,
    began: -10_000,
    capacity,
    available,
  }));

const removals = (result: RoundResult) => result.outcomes.filter(({ verdict }) => verdict === "removed");

describe("for any images, uses, policy and disk", () => {
  test("nothing goes that is in use or pinned, nor for space what is too young", () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const inUse = new Set(scene.uses?.map(({ imageId }) => imageId));
        const { minAge = 0 } = scene.policy ?? {};
        return removals(roundOf(scene)).every(({ image, reason }) => {
          const oldEnough = image.firstDetected === undefined || 1001 - image.firstDetected >= minAge;
          return !inUse.has(image.id) && !image.pinned && (reason === "age" || oldEnough);
        });
      }),
    );
  });

  test("no more goes than is needed: without the last image too little would be free", () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const result = roundOf(scene);
        const space = removals(result).filter(({ reason }) => reason === "space");
        const last = space.at(-1);
        if (last === undefined) return result.freed === 0;
        const before = result.freed - last.image.size;
        return space.length === 1 || before < (result.bytesToFree ?? 0);
      }),
    );
  });

  test("enough goes wherever enough may go", () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const result = roundOf(scene);
        if (result.bytesToFree === undefined || result.freed >= result.bytesToFree) return true;
        return result.outcomes.every(({ verdict }) => verdict !== "enough freed" && verdict !== "enough room");
      }),
    );
  });

  test("an image that cannot be removed changes nothing for those before it", () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const all = roundOf({ ...scene, fails: [] });
        const some = roundOf(scene);
        const first = some.outcomes.findIndex(({ verdict }) => verdict === "failed");
        const until = first < 0 ? undefined : first;
        return (
          JSON.stringify(some.outcomes.slice(0, until)) === JSON.stringify(all.outcomes.slice(0, until)) || first < 0
        );
      }),
    );
  });

  test("the order in which the runtime lists its images does not matter", () => {
    fc.assert(
      fc.property(scenes, fc.nat(), (scene, seed) => {
        const turned = [...scene.records].sort(
          (a, b) => ((Number(a.id.slice(1)) * 7 + seed) % 31) - ((Number(b.id.slice(1)) * 7 + seed) % 31),
        );
        return JSON.stringify(roundOf(scene)) === JSON.stringify(roundOf({ ...scene, records: turned }));
      }),
    );
  });

  test("every image that is no candidate has a reason, and every candidate an outcome", () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const detection = {
          records: new Map(scene.records.map((one) => [one.key, one])),
          inUse: new Map((scene.uses ?? []).map(({ imageId, by }) => [imageId, [by]])),
        };
        const rules = { ...scene.policy, protect: [] };
        const full = { highThresholdPercent: 0, lowThresholdPercent: 0, minAge: 0, maxAge: 0, ...rules };
        const { candidates, kept } = candidatesOf(detection, full);
        const input = { candidates, policy: full, now: 1001, began: -10_000 };
        const usage = { capacityBytes: scene.capacity ?? 1, availableBytes: scene.available ?? 0 };
        const { outcomes } = rehearse(imageRound(input), usage);
        const reported = [...kept, ...outcomes].map(({ image }) => image.key).sort();
        return (
          reported.join() ===
          scene.records
            .map(({ key }) => key)
            .sort()
            .join()
        );
      }),
    );
  });
});

import { describe, expect, test } from "@jest/globals";
import { candidatesOf, imageRound, rehearse, unusedRound } from "../../../src/internal.js";
import { MIB, MINUTE, play, policy, record, roundOf, use, verdicts } from "./images.js";

const used = (minutesAgo: number) => ({ lastUsed: 60 * MINUTE - minutesAgo * MINUTE });

describe("below the high mark", () => {
  test("nothing is removed, and each candidate has the reason why it stays", () => {
    const result = roundOf({ records: [record("a"), record("b")], available: 500 * MIB });
    expect(result.removed).toEqual([]);
    expect(result.usagePercent).toBe(50);
    expect(result.bytesToFree).toBeUndefined();
    expect(result.why[0]).toBe("50% of the image filesystem used, images are removed from 85% on");
  });
});

describe("from the high mark on", () => {
  test("images go, the longest unused first, until the low mark is reached", () => {
    const records = [
      record("young", { ...used(1), size: 60 * MIB }),
      record("old", { ...used(50), size: 60 * MIB }),
      record("never", { size: 60 * MIB }),
    ];
    const result = roundOf({ records, available: 100 * MIB });
    expect(result).toMatchObject({ usagePercent: 90, bytesToFree: 100 * MIB, freed: 120 * MIB });
    expect(verdicts(result)).toEqual(["never: removed", "old: removed", "young: enough freed"]);
    expect(result.failure).toBeUndefined();
  });

  test("images that are used, pinned or younger than the minimum age stay even on a full disk", () => {
    const records = [
      record("used"),
      record("pinned", { pinned: true }),
      record("young", { firstDetected: 59 * MINUTE }),
      record("free"),
    ];
    const result = roundOf({ records, uses: [use("used")], policy: { minAge: 2 * MINUTE }, available: 0 });
    expect(result.removed).toEqual(["free"]);
    expect(verdicts(result)).toEqual(["free: removed", "young: too young"]);
    expect(result.why[1]).toBe("first seen 1m0s ago, the minimum age is 2m0s");
    expect(result.failure).toEqual({
      event: "FreeDiskSpaceFailed",
      message:
        "Insufficient free disk space on the node's image filesystem (100% of 1000.0 MiB used). Failed to free sufficient space by deleting unused images (freed 10485760 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.",
    });
  });

  test("an image that cannot be removed is passed over and makes the round fail", () => {
    const records = [record("a", { size: 200 * MIB }), record("b", { size: 200 * MIB }), record("c")];
    const result = roundOf({ records, fails: ["a"] });
    expect(verdicts(result)).toEqual(["a: failed", "b: removed", "c: enough freed"]);
    expect(result.failure).toEqual({
      message:
        "wanted to free 104857600 bytes, but freed 209715200 bytes space with errors in image deletion: cannot remove a",
    });
  });

  test("several errors are one text, each once", () => {
    const result = roundOf({ records: [record("a"), record("b")], fails: ["a", "b"] });
    expect(result.failure?.message).toMatch(/: \[cannot remove a, cannot remove b\]$/);
  });

  test("of a full disk whose low mark is below what is free one image goes all the same", () => {
    expect(
      roundOf({ records: [record("a"), record("b")], policy: { lowThresholdPercent: 85 }, available: 150 * MIB })
        .removed,
    ).toEqual(["a"]);
  });

  test("an image that a later use marks as used stays", () => {
    const now = 60 * MINUTE;
    const round = imageRound({ candidates: [record("a", { lastUsed: now })], policy: policy(), now, began: 0 });
    const result = rehearse(round, { capacityBytes: 100, availableBytes: 0 });
    expect(verdicts(result)).toEqual(["a: used since"]);
  });
});

describe("the disk's numbers", () => {
  test.each([
    {
      name: "a capacity of 0",
      capacity: 0,
      available: 0,
      message: "invalid capacity 0 on image filesystem",
      event: "InvalidDiskCapacity",
    },
  ])("$name ends the round with its event", ({ capacity, available, message, event }) => {
    const result = roundOf({ records: [record("a")], capacity, available });
    expect(result.failure).toEqual({ message, event });
    expect(result.removed).toEqual([]);
  });

  test("unreadable numbers end the round with that error and without a separate event", () => {
    const round = imageRound({ candidates: [record("a")], policy: policy(), now: 0, began: 0 });
    expect(play(round, () => ({ error: "no such file system" }))).toEqual({
      outcomes: [],
      freed: 0,
      failure: { message: "no such file system" },
    });
  });

  test("more free than there is counts as all free", () => {
    expect(roundOf({ records: [record("a")], available: 2000 * MIB }).usagePercent).toBe(0);
  });
});

describe("the maximum age", () => {
  const maxAge = 10 * MINUTE;

  test("images unused for longer are removed on an empty disk too, however young", () => {
    const records = [record("a", used(11)), record("b", used(10)), record("never", { firstDetected: 59 * MINUTE })];
    const result = roundOf({ records, policy: { maxAge, minAge: 5 * MINUTE }, available: 900 * MIB });
    expect(result.removed).toEqual(["never", "a"]);
    expect(result.why).toEqual([
      "never used, the maximum age is 10m0s",
      "unused for 11m0s, the maximum age is 10m0s",
      "10% of the image filesystem used, images are removed from 85% on",
    ]);
  });

  test("nothing goes for its age before the loop has run for longer than it", () => {
    const scene = { records: [record("a")], policy: { maxAge }, available: 900 * MIB };
    expect(roundOf({ ...scene, began: 50 * MINUTE }).removed).toEqual([]);
    expect(roundOf({ ...scene, began: 50 * MINUTE - 1 }).removed).toEqual(["a"]);
  });

  test("an error ends the round before the disk is read", () => {
    const result = roundOf({
      records: [record("a"), record("b", used(1))],
      policy: { maxAge },
      fails: ["a"],
      available: 0,
    });
    expect(result.removed).toEqual([]);
    expect(result.usage).toBeUndefined();
    expect(result.failure).toEqual({
      message: "wanted to free images older than 10m0s, encountered errors in image deletion: cannot remove a",
    });
  });

  test("what it freed does not count for the bytes that the space step must free", () => {
    const records = [record("a", { size: 500 * MIB }), record("b", used(1))];
    const result = roundOf({ records, policy: { maxAge } });
    expect(result.removed).toEqual(["a", "b"]);
    expect(result).toMatchObject({ freed: 10 * MIB, bytesToFree: 100 * MIB });
    expect(result.failure?.event).toBe("FreeDiskSpaceFailed");
  });
});

describe("everything unused, for disk pressure", () => {
  test("goes but for what is too young; the maximum age plays no part", () => {
    const records = [record("a"), record("young", { firstDetected: 59 * MINUTE }), record("b", used(1))];
    const rules = policy({ minAge: 2 * MINUTE, maxAge: MINUTE });
    const now = 60 * MINUTE;
    const detection = { records: new Map(records.map((one) => [one.key, one])), inUse: new Map() };
    const { candidates } = candidatesOf(detection, rules);
    const result = rehearse(unusedRound({ candidates, policy: rules, now }), undefined);
    expect(verdicts(result)).toEqual(["a: removed", "young: too young", "b: removed"]);
    expect(result.freed).toBe(20 * MIB);
  });

  test("an error has all bytes as the goal, as the kubelet writes it", () => {
    const round = unusedRound({ candidates: [record("a")], policy: policy(), now: 1 });
    expect(play(round, () => ({ error: "in use" })).failure?.message).toBe(
      "wanted to free 9223372036854775807 bytes, but freed 0 bytes space with errors in image deletion: in use",
    );
  });
});

test("an image that comes into use before its removal stays, frees nothing, and is no failure", () => {
  const candidates = [record("old"), record("new", { lastUsed: 59 * MINUTE })];
  const rules = policy({ maxAge: 10 * MINUTE });
  const round = imageRound({ candidates, policy: rules, now: 60 * MINUTE, began: 0 });
  const asked: string[] = [];
  const result = play(round, (request) => {
    if (request.kind === "usage") return { usage: { capacityBytes: 1000 * MIB, availableBytes: 0 } };
    asked.push(`${request.image.id} for ${request.reason}`);
    return { inUse: true };
  });
  expect(asked).toEqual(["old for age", "new for space"]);
  expect(verdicts(result)).toEqual(["old: used since", "new: used since"]);
  expect(result.freed).toBe(0);
  expect(result.failure?.event).toBe("FreeDiskSpaceFailed");
});

test("the reason of a removal: age, or space", () => {
  const reasons = (maxAge: number) => roundOf({ records: [record("a")], policy: { maxAge } }).outcomes[0]?.reason;
  expect([reasons(10 * MINUTE), reasons(0)]).toEqual(["age", "space"]);
});

test("a dry run assumes that images removed for their age free space before the disk is read", () => {
  const round = imageRound({
    candidates: [record("a", { size: 60 * MIB }), record("b", { lastUsed: 59 * MINUTE })],
    policy: policy({ maxAge: 10 * MINUTE }),
    now: 60 * MINUTE,
    began: 0,
  });
  const result = rehearse(round, { capacityBytes: 1000 * MIB, availableBytes: 100 * MIB });
  expect(result.usagePercent).toBe(84);
  expect(verdicts(result)).toEqual(["a: removed", "b: enough room"]);
});

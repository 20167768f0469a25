import { describe, expect, test } from "@jest/globals";
import {
  bytesToFree,
  formatSize,
  imageLoopRuns,
  policyFault,
  usageFault,
  usagePercent,
} from "../../../src/images/image-policy.js";
import { elapsed, imageKey, imageName } from "../../../src/images/image-records.js";
import { type Kept, protectedBy, repositoryOf } from "../../../src/images/keep.js";
import {
  aggregate,
  beginning,
  deletionFailed,
  notEnoughFreed,
  oldDeletionFailed,
} from "../../../src/images/messages.js";
import type { Outcome } from "../../../src/images/round.js";
import { why } from "../../../src/internal.js";
import { MIB, MINUTE, policy, record } from "./images.js";

describe("bytes as the kubelet writes them", () => {
  test.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KiB"],
    [1_048_575, "1024.0 KiB"],
    [1_048_576, "1.0 MiB"],
    [1024 ** 4, "1.0 TiB"],
    [5000 * 1024 ** 4, "5000.0 TiB"],
    // Exact halves go to the even digit, as Go rounds.
    [1024 * 1.25, "1.2 KiB"],
    [1024 * 1.75, "1.8 KiB"],
    [1024 * 1.26, "1.3 KiB"],
  ])("%d is %s", (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});

describe("how full the disk is", () => {
  test.each([
    { name: "in whole percent, rounded up", usage: [1000, 149], percent: 86 },
    { name: "full", usage: [1000, 0], percent: 100 },
    { name: "empty", usage: [1000, 1000], percent: 0 },
    { name: "more free than there is counts as all free", usage: [1000, 2000], percent: 0 },
    { name: "beyond what a number holds exactly", usage: [2 ** 53 - 1, 2 ** 52], percent: 50 },
  ] as const)("$name: $percent %", ({ usage: [capacityBytes, availableBytes], percent }) => {
    expect(usagePercent({ capacityBytes, availableBytes })).toBe(percent);
  });

  test("what is missing at the low mark is rounded down, and below 0 where nothing is", () => {
    expect(bytesToFree({ capacityBytes: 999, availableBytes: 100 }, 80)).toBe(99);
    expect(bytesToFree({ capacityBytes: 1000, availableBytes: 900 }, 80)).toBe(-700);
  });

  test.each([
    { name: "a number that is none", usage: { capacityBytes: Number.NaN, availableBytes: 1 } },
    { name: "less than nothing", usage: { capacityBytes: 1, availableBytes: -1 } },
    { name: "a part of a byte", usage: { capacityBytes: 1.5, availableBytes: 1 } },
  ])("nothing can be counted with $name", ({ usage }) => {
    expect(usageFault(usage)).toBe(
      `expected the image filesystem's capacity and free space in bytes, found ${usage.capacityBytes} and ${usage.availableBytes}`,
    );
  });

  test("with 0 it can: that is another fault", () => {
    expect(usageFault({ capacityBytes: 0, availableBytes: 0 })).toBeUndefined();
  });
});

describe("errors", () => {
  test("of several images are listed once each, in brackets when there are more", () => {
    expect([aggregate(["a"]), aggregate(["a", "a"]), aggregate(["a", "b", "a"])]).toEqual(["a", "a", "[a, b]"]);
  });

  test("that are too long are cut, with the number of cut characters", () => {
    expect([beginning("12345", 5), beginning("123456", 5)]).toEqual(["12345", "12345... (1 characters more)"]);
  });

  test("of the kubelet's own are in its words", () => {
    expect(deletionFailed(10, 5, ["x"])).toBe(
      "wanted to free 10 bytes, but freed 5 bytes space with errors in image deletion: x",
    );
    expect(oldDeletionFailed(90_000, ["x", "y"])).toBe(
      "wanted to free images older than 1m30s, encountered errors in image deletion: [x, y]",
    );
    expect(notEnoughFreed(91, MIB, 7)).toMatch(/\(91% of 1\.0 MiB used\)\. Failed .*\(freed 7 bytes\)\. Investigate/);
  });
});

describe("thresholds", () => {
  const fault = (highThresholdPercent: number, lowThresholdPercent: number) =>
    policyFault({ highThresholdPercent, lowThresholdPercent });

  test("from 0 to 100 are good, low at most at high", () => {
    expect([fault(0, 0), fault(100, 100), fault(85, 80), fault(80, 80)]).toEqual(Array(4).fill(undefined));
  });

  test.each([
    [101, 80, "invalid HighThresholdPercent 101, must be in range [0-100]"],
    [-1, 80, "invalid HighThresholdPercent -1, must be in range [0-100]"],
    [85, 101, "invalid LowThresholdPercent 101, must be in range [0-100]"],
    [85, -1, "invalid LowThresholdPercent -1, must be in range [0-100]"],
    [85, 86, "LowThresholdPercent 86 can not be higher than HighThresholdPercent 85"],
  ])("high %d, low %d: %s", (high, low, text) => {
    expect(fault(high, low)).toBe(text);
  });

  test.each([
    { name: "of 100 with no maximum age switches the loop off, as in the kubelet", high: 100, maxAge: 0, runs: false },
    { name: "of 100 with a maximum age does not", high: 100, maxAge: 1, runs: true },
    { name: "below 100 does not", high: 99, maxAge: 0, runs: true },
  ])("a high threshold $name", ({ high, maxAge, runs }) => {
    expect(imageLoopRuns(policy({ highThresholdPercent: high, maxAge }))).toBe(runs);
  });
});

describe("an image", () => {
  test("is kept by its id, and by its handler where it has one", () => {
    expect([imageKey("a"), imageKey("a", ""), imageKey("a", "kata")]).toEqual(["a", "a", "a,kata"]);
  });

  test("that has no time is longer ago than anything", () => {
    expect([elapsed(undefined, 5), elapsed(2, 5)]).toEqual([Number.POSITIVE_INFINITY, 3]);
  });

  test.each([
    { name: "its shortest tag", names: ["example/web:1.25", "web:1", "example/web@sha256:00"], called: "web:1" },
    { name: "of equally short ones the first", names: ["web:2", "web:1"], called: "web:2" },
    { name: "its digest, where it has no tag", names: ["web@sha256:11", "w@sha256:00"], called: "web@sha256:11" },
    { name: "its id, where it has no name", names: [], called: "sha256:id" },
  ])("is called by $name", ({ names, called }) => {
    expect(imageName({ id: "sha256:id", names })).toBe(called);
  });

  test.each([
    ["registry.example:5000/web", "registry.example:5000/web"],
    ["registry.example:5000/web:1", "registry.example:5000/web"],
    ["web:1@sha256:00", "web"],
    ["web@sha256:00", "web"],
    ["web", "web"],
  ])("%s is of the repository %s", (name, repository) => {
    expect(repositoryOf(name)).toBe(repository);
  });

  test.each([
    { pattern: "a*b*c", name: "aXbXbYc", fits: true },
    { pattern: "*ab", name: "aab", fits: true },
    { pattern: "a*", name: "a", fits: true },
    { pattern: "a**", name: "ab", fits: true },
    { pattern: "*a", name: "b", fits: false },
    { pattern: "ab", name: "a", fits: false },
    { pattern: "a", name: "ab", fits: false },
    { pattern: "a*bc", name: "abcabd", fits: false },
  ])("a pattern $pattern for $name: $fits", ({ pattern, name, fits }) => {
    expect(protectedBy(["none", pattern], { id: "sha256:id", names: [name] })).toBe(fits ? pattern : undefined);
  });

  test("of Docker Hub fits in its short spellings, one of a user without the user's name does not", () => {
    const of = (name: string) => (pattern: string) => protectedBy([pattern], { id: "x", names: [name] }) !== undefined;
    expect(["docker.io/me/web:1", "me/web", "web"].map(of("docker.io/me/web:1"))).toEqual([true, true, false]);
    expect(["library/web", "web:1", "docker.io"].map(of("docker.io/library/web:1"))).toEqual([true, true, false]);
    expect(["library/web", "web"].map(of("example/library/web:1"))).toEqual([false, false]);
  });
});

describe("why an image goes or stays", () => {
  const input = {
    policy: policy({ minAge: 2 * MINUTE, maxAge: 5 * MINUTE }),
    now: 10 * MINUTE,
    usagePercent: 70,
  };
  const image = record("a", { lastUsed: 4 * MINUTE, firstDetected: 9 * MINUTE, size: 3 * MIB });

  test.each<{ fate: Kept | Outcome; text: string }>([
    { fate: { image, verdict: "in use", users: ["x", "y", "z"] }, text: "by x, y, z" },
    { fate: { image, verdict: "in use", users: ["x", "y", "z", "w"] }, text: "by x, y, z and 1 more" },
    { fate: { image, verdict: "pinned" }, text: "the runtime keeps it" },
    { fate: { image, verdict: "protected", pattern: "web*" }, text: "protect: web*" },
    { fate: { image, verdict: "failed", reason: "space", error: "no such image" }, text: "no such image" },
    { fate: { image, verdict: "too young" }, text: "first seen 1m0s ago, the minimum age is 2m0s" },
    { fate: { image, verdict: "used since" }, text: "used since the round began" },
    { fate: { image, verdict: "enough freed" }, text: "enough is freed without it" },
    {
      fate: { image, verdict: "enough room" },
      text: "70% of the image filesystem used, images are removed from 85% on",
    },
    { fate: { image, verdict: "removed", reason: "age" }, text: "unused for 6m0s, the maximum age is 5m0s" },
    { fate: { image, verdict: "removed", reason: "space" }, text: "unused for 6m0s, 3.0 MiB" },
    {
      fate: { image: record("b", { size: MIB }), verdict: "removed", reason: "space" },
      text: "never used, 1.0 MiB",
    },
  ])("$fate.verdict: $text", ({ fate, text }) => {
    expect(why(fate, input)).toBe(text);
  });
});

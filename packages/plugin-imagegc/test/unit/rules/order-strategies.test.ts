import { describe, expect, test } from "@jest/globals";
import { type ImageRecord, orderFault } from "../../../src/index.js";
import { inOrder, largestFirst, lru, lruSizeWeighted, orderStrategies } from "../../../src/internal.js";
import { record } from "../images/images.js";

const candidates = [
  record("never", { size: 1, firstDetected: 90 }),
  record("small-old", { size: 10, lastUsed: 10 }),
  record("large", { size: 40, lastUsed: 70 }),
  record("small-young", { size: 10, lastUsed: 95 }),
];
const ids = (images: readonly { key: string }[]) => images.map(({ key }) => key);

test.each([
  { name: "lru", order: lru, expected: ["never", "small-old", "large", "small-young"] },
  { name: "largest-first", order: largestFirst, expected: ["large", "small-old", "small-young", "never"] },
  { name: "lru-size-weighted", order: lruSizeWeighted, expected: ["large", "small-old", "small-young", "never"] },
])("$name", ({ order, expected }) => {
  expect(ids(order({ candidates, now: 100 }))).toEqual(expected);
});

test("lru-size-weighted: of two sizes the smaller goes first when it is unused for so much longer", () => {
  const images = [record("small", { size: 10, lastUsed: 0 }), record("large", { size: 40, lastUsed: 90 })];
  expect(ids(lruSizeWeighted({ candidates: images, now: 100 }))).toEqual(["small", "large"]);
});

test("images before any memory go first, those without a size last", () => {
  const images = [
    record("b", { firstDetected: undefined }),
    record("empty", { size: 0, firstDetected: undefined }),
    record("a"),
  ];
  expect(ids(lruSizeWeighted({ candidates: images, now: 100 }))).toEqual(["b", "a", "empty"]);
});

test("of equal weights the kubelet's order holds, also where both are beyond all measure", () => {
  const ever = ["z", "a", "m"].map((id) => record(id, { firstDetected: undefined }));
  expect(ids(lruSizeWeighted({ candidates: ever, now: 100 }))).toEqual(["z", "a", "m"]);
  const future = ["z", "a"].map((id, index) => record(id, { lastUsed: 200 + index }));
  expect(ids(lruSizeWeighted({ candidates: future, now: 100 }))).toEqual(["z", "a"]);
});

test("the default is the kubelet's", () => {
  expect(Object.keys(orderStrategies)[0]).toBe("lru");
});

test("a strategy cannot change what it orders: the round would remove something else", () => {
  const images = [record("a"), record("b")];
  for (const change of [{ id: "other" }, { size: 0 }]) {
    const result = inOrder(({ candidates: all }) => [Object.assign(all[0] as never, change), all[1]] as never, {
      candidates: images,
      now: 0,
    });
    expect(result.fault).toContain("it failed: Cannot assign to read only property");
    expect(ids(result.candidates)).toEqual(["a", "b"]);
  }
  const named = inOrder(
    ({ candidates: all }) => {
      for (const { names } of all) (names as string[]).push("mine");
      return all;
    },
    { candidates: images, now: 0 },
  );
  expect(named.fault).toContain("it failed: Cannot add property");
  expect(images[0]?.names).toEqual(record("a").names);
});

describe("the answer of a strategy", () => {
  test.each([
    { name: "leaves one out", answer: candidates.slice(1), fault: "1 missing, among them never" },
    { name: "names one twice", answer: [...candidates, candidates[0]], fault: '"never", no candidate or twice' },
    { name: "names a stranger", answer: [{ key: "x" }], fault: '"x", no candidate or twice' },
    { name: "is no list", answer: "all", fault: "string" },
    { name: "is a promise", answer: Promise.resolve([]), fault: "a promise" },
    { name: "is null", answer: null, fault: "null" },
    { name: "holds null", answer: [null], fault: "an image without key" },
  ])("that $name is not used, and the fault is reported", ({ answer, fault }) => {
    const result = inOrder(() => answer as never, { candidates, now: 100 });
    expect(result.candidates).toBe(candidates);
    expect(result.fault).toContain(fault);
  });

  test("an error of a strategy is a fault too", () => {
    const result = inOrder(
      () => {
        throw new Error("boom");
      },
      { candidates, now: 100 },
    );
    expect(result).toEqual({ candidates, fault: "it failed: boom" });
  });

  test("copies with the same keys count as the candidates", () => {
    const result = inOrder(({ candidates: given }) => given.map(({ key }) => ({ key })).reverse(), {
      candidates,
      now: 1,
    });
    expect(result).toEqual({ candidates: [...candidates].reverse() });
  });

  describe("that changes what it was given", () => {
    const shuffled = (order: (given: ImageRecord[]) => unknown) =>
      inOrder(({ candidates: given }) => order(given as ImageRecord[]) as never, { candidates, now: 100 });

    test("by sorting it in place is an answer like any other", () => {
      const { candidates: ordered, fault } = shuffled((given) => given.reverse());
      expect(ids(ordered)).toEqual([...ids(candidates)].reverse());
      expect(fault).toBeUndefined();
    });

    test.each([
      { name: "by putting a stranger in", order: (given: ImageRecord[]) => given.push(record("in-use")) && given },
      { name: "by taking one away", order: (given: ImageRecord[]) => given.pop() && given },
      {
        name: "by calling one by another's key",
        order: (given: ImageRecord[]) => Object.assign(given[0] ?? {}, { key: "large" }) && given,
      },
    ])("$name is not used, and nothing of it reaches the round", ({ order }) => {
      const before = JSON.stringify(candidates);
      const { candidates: ordered, fault } = shuffled(order);
      expect(fault).toBeDefined();
      expect(ordered).toBe(candidates);
      expect(JSON.stringify(ordered)).toBe(before);
    });

    test("by writing another id into one frees the image that was meant", () => {
      const { candidates: ordered } = shuffled((given) => Object.assign(given[0] ?? {}, { id: "in-use" }) && given);
      expect(ordered.map(({ id }) => id)).toEqual(candidates.map(({ id }) => id));
    });
  });
});

test("a test of a strategy learns what is wrong with an answer", () => {
  const input = { candidates, now: 100 };
  expect(orderFault(candidates.slice(1), input)).toBe(
    "expected each candidate once, found 1 missing, among them never",
  );
  expect(orderFault(candidates.toReversed(), input)).toBeUndefined();
});

import { expect, test } from "@jest/globals";
import { didYouMean, nearest } from "../src/nearest.js";

test.each([
  { name: "a letter too few", word: "maxPod", known: ["maxPods", "node"], near: ["maxPods"] },
  { name: "two letters changed places", word: "imgae", known: ["image", "name"], near: ["image"] },
  { name: "another case", word: "MAXPODS", known: ["maxPods"], near: ["maxPods"] },
  { name: "the beginning of a name", word: "large", known: ["largest-first", "lru"], near: ["largest-first"] },
  { name: "nothing alike", word: "zebra", known: ["order", "probe"], near: [] },
  {
    name: "at most three, nearest first",
    word: "abcd",
    known: ["abxx", "abcx", "abcd1", "abc", "axcd"],
    near: ["abc", "abcd1", "abcx"],
  },
])("$name", ({ word, known, near }) => {
  expect(nearest(word, known)).toEqual(near);
});

test("a name of a megabyte costs nothing", () => {
  expect(nearest("x".repeat(1_000_000), ["order"])).toEqual([]);
});

test("the question names each of them", () => {
  expect(didYouMean(["a", "b"])).toBe(' Did you mean "a" or "b"?');
  expect(didYouMean([])).toBe("");
});

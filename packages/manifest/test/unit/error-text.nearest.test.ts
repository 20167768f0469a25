import { describe, expect, test } from "@jest/globals";
import { didYouMean, nearest } from "../../src/error-text.js";

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

describe("how many letters may differ", () => {
  test.each([
    { letters: "up to 3: one", word: "abc", known: ["abx", "axx"], near: ["abx"] },
    { letters: "4 to 7: two", word: "abcd", known: ["abxx", "axxx"], near: ["abxx"] },
    { letters: "7: still two", word: "abcdefg", known: ["abcdexx", "abcdxxx"], near: ["abcdexx"] },
    { letters: "8 and more: three", word: "abcdefgh", known: ["abcdexxx", "abcdxxxx"], near: ["abcdexxx"] },
  ])("$letters", ({ word, known, near }) => expect(nearest(word, known)).toEqual(near));

  test("a beginning of three letters counts as one away, one of two does not", () => {
    expect(nearest("hig", ["highThresholdPercent"])).toEqual(["highThresholdPercent"]);
    expect(nearest("hi", ["highThresholdPercent"])).toEqual([]);
  });

  test("a name that is three letters longer may be meant, one that is four longer is not", () => {
    expect(nearest("bcdefghij", ["xxxbcdefghij"])).toEqual(["xxxbcdefghij"]);
    expect(nearest("bcdefghij", ["xxxxbcdefghij"])).toEqual([]);
  });
});

test("equally similar names are in alphabetical order, each once", () => {
  expect(nearest("ab", ["ac", "aa", "ac", "ab"])).toEqual(["ab", "aa", "ac"]);
});

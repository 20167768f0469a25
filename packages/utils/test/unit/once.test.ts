import { expect, test } from "@jest/globals";
import { Once } from "../../src/once.js";

test("a text is news once for a subject, until it is another one, or was over", () => {
  const once = new Once();
  expect([once.isNews("a", "x"), once.isNews("a", "x"), once.isNews("b", "x")]).toEqual([true, false, true]);
  expect([once.isNews("a", "y"), once.isNews("a", "x")]).toEqual([true, true]);
  once.over("a");
  expect([once.isNews("a", "x"), once.isNews("b", "x")]).toEqual([true, false]);
});

test("without a text the subject itself is news; all are forgotten at once", () => {
  const once = new Once();
  expect([once.isNews("a"), once.isNews("a"), once.isNews("a", ""), once.size]).toEqual([true, false, false, 1]);
  once.forget();
  expect([once.size, once.isNews("a")]).toEqual([0, true]);
});

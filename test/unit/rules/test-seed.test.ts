/** What tests draw by chance has one seed that is printed and can be given again. */
import { expect, test } from "@jest/globals";
import { testSeed } from "../../test-seed.mjs";

test("without a word the seed is 1, and a number is taken as it is", () => {
  expect([undefined, "0", "-7", "2147483647"].map((given) => testSeed(given, fail))).toEqual([1, 0, -7, 2147483647]);
});

test("a drawn seed is printed with the words that draw it again", () => {
  const reported: string[] = [];
  const seed = testSeed("random", (text) => void reported.push(text));
  expect(reported).toEqual([`HOOKLET_TEST_SEED=${seed}`]);
  expect(testSeed(String(seed), fail)).toBe(seed);
});

test.each(["", " ", "abc", "1.5", "1e3", "NaN", "0x10", "4294967296", "Random"])("a seed %j is refused", (given) => {
  expect(() => testSeed(given, fail)).toThrow(`HOOKLET_TEST_SEED is ${JSON.stringify(given)}: expected`);
});

function fail(text: string): void {
  throw new Error(`nothing was to be told: ${text}`);
}

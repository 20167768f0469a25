/** How long a failed request waits before it is made again. */
import { expect, test } from "@jest/globals";
import { BackOff, certificateBackOff, reflectorBackOff } from "../../../src/client/back-off.js";

const waits = (backOff: BackOff, ...times: readonly number[]): number[] => times.map((now) => backOff.failed(now));

test.each([
  [
    "lists and watches: as client-go's reflector",
    reflectorBackOff,
    [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000],
  ],
  [
    "requests for a certificate: as the kubelet",
    certificateBackOff,
    [2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000, 32_000],
  ],
])("%s: each wait is twice the one before, up to the last", (_, rule, expected) => {
  expect(waits(new BackOff(rule, () => 0), 0, 1, 2, 3, 4, 5, 6, 7)).toEqual(expected);
});

test.each([
  [reflectorBackOff, 0.5, [1_200, 2_400]],
  [certificateBackOff, 0.5, [2_100, 4_200]],
])("%j: a random share of the wait is put on top, and does not grow the next one", (rule, random, expected) => {
  expect(waits(new BackOff(rule, () => random), 0, 1)).toEqual(expected);
});

test("after two minutes without a failure the next one is the first", () => {
  const backOff = new BackOff(reflectorBackOff, () => 0);
  expect(waits(backOff, 1_000, 2_000, 122_000, 242_001, 242_002)).toEqual([800, 1_600, 3_200, 800, 1_600]);
});

test("a request for a certificate that fails after a year waits as long as it did", () => {
  const backOff = new BackOff(certificateBackOff, () => 0);
  expect(waits(backOff, 0, 0, 365 * 24 * 3_600_000)).toEqual([2_000, 4_000, 8_000]);
});

test("once all is well the next failure is the first", () => {
  const backOff = new BackOff(reflectorBackOff, () => 0);
  waits(backOff, 0, 1, 2);
  backOff.reset();
  expect(waits(backOff, 3, 4)).toEqual([800, 1_600]);
});

import type { Pod } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { BURST_ANNOTATION, burstFault, burstPercent, cpuBurst } from "../../../src/rules/container.js";
import { aPod } from "../world.js";

function web(burst: string | undefined): Pod {
  const pod = aPod("web");
  return burst === undefined
    ? pod
    : { ...pod, metadata: { ...pod.metadata, annotations: { [BURST_ANNOTATION]: burst } } };
}

describe("how much may be saved up", () => {
  test.each([
    { name: "nothing without the annotation", said: undefined, percent: 0 },
    { name: "what it says", said: "50%", percent: 50 },
  ])("$name", ({ said, percent }) => {
    expect(burstPercent(web(said))).toBe(percent);
  });

  test("never more than the quota, and nothing without one", () => {
    expect([50_000, 0, -1, undefined].map((quota) => cpuBurst(web("100%"), quota))).toEqual([
      50_000,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test.each([
  { text: "0%", percent: 0 },
  { text: "007%", percent: 7 },
  { text: "100%", percent: 100 },
])("$text can be heeded", ({ text, percent }) => {
  expect(burstFault(web(text))).toBeUndefined();
  expect(burstPercent(web(text))).toBe(percent);
});

test.each(["101%", "1000%", "-1%", "1.5%", "50", "%", "", " 50%", "50% "])(
  "%j cannot, and counts as nothing",
  (text) => {
    expect(burstFault(web(text))).toBe(
      `annotation ${BURST_ANNOTATION}: expected "0%" to "100%", found ${JSON.stringify(text)}`,
    );
    expect(burstPercent(web(text))).toBe(0);
  },
);

test("without the annotation there is no fault; a part of a microsecond is not given", () => {
  expect(burstFault(web(undefined))).toBeUndefined();
  expect(cpuBurst(web("33%"), 100)).toBe(33);
  expect(cpuBurst(web("50%"), 101)).toBe(50);
  expect(cpuBurst(web(undefined), 100)).toBe(0);
});

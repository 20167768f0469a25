import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { kubeletContainerPolicy, kubeletPolicy } from "../../src/internal.js";
import { containerPolicyOf, type ImagegcOptions, imagePolicyOf, options } from "../../src/options.js";

const schema = (typeof options === "function" ? options(z) : options) as z.ZodType<ImagegcOptions>;
const faults = (given: unknown) =>
  schema.safeParse(given).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

test("without options the policies are the kubelet's", () => {
  const given = schema.parse({});
  expect(imagePolicyOf(given)).toEqual(kubeletPolicy);
  expect(containerPolicyOf(given)).toEqual(kubeletContainerPolicy);
});

test("durations are read as Kubernetes writes them", () => {
  const given = schema.parse({
    imageMinimumGCAge: "1h30m",
    imageMaximumGCAge: "48h",
  });
  expect(imagePolicyOf(given)).toMatchObject({
    minAge: 5_400_000,
    maxAge: 172_800_000,
  });
});

describe("a fault is reported with the option's name", () => {
  test.each([
    {
      name: "a high threshold above 100",
      given: { imageGCHighThresholdPercent: 101 },
      fault: "imageGCHighThresholdPercent: invalid HighThresholdPercent 101, must be in range [0-100]",
    },
    {
      name: "a low threshold below 0",
      given: { imageGCLowThresholdPercent: -1 },
      fault: "imageGCLowThresholdPercent: invalid LowThresholdPercent -1, must be in range [0-100]",
    },
    {
      name: "a low threshold above the high one",
      given: { imageGCLowThresholdPercent: 86 },
      fault: "imageGCLowThresholdPercent: at most imageGCHighThresholdPercent, 85",
    },
    {
      name: "a maximum age that is not above the minimum",
      given: { imageMaximumGCAge: "2m" },
      fault: "imageMaximumGCAge: 0s, or more than imageMinimumGCAge 2m0s",
    },
    { name: "an empty pattern", given: { protect: [""] }, fault: "protect.0:" },
    {
      name: "an age that is none",
      given: { imageMinimumGCAge: "soon" },
      fault: "imageMinimumGCAge: a duration from 0s to 87600h",
    },
    { name: "an option that does not exist", given: { imageGcHighThresholdPercent: 1 }, fault: ": Unrecognized key" },
  ])("$name", ({ given, fault }) => {
    const [first, ...others] = faults(given);
    expect(first).toContain(fault);
    expect(others).toEqual([]);
  });
});

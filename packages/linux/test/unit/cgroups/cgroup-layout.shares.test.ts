import { expect, test } from "@jest/globals";
import { sharesToWeight } from "../../../src/cgroups/cgroup-layout.js";

test.each([
  [2, 1],
  [1024, 39],
  [262144, 10000],
  [0, 0],
  [999999, 10000],
])("%i shares weigh %i", (shares, weight) => {
  expect(sharesToWeight(shares)).toBe(weight);
});

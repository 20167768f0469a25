import { describe, expect, test } from "@jest/globals";
import { duration, quantity, subdomain, threshold } from "../../../src/config/values.js";

test("a duration may be a number of seconds, within its bounds", () => {
  const schema = duration("100ms", "1h");
  expect(schema.parse(2.5)).toBe(2.5);
  for (const value of [0, 3601, Number.NaN, Number.POSITIVE_INFINITY, "61m", null, true]) {
    expect(schema.safeParse(value).success).toBe(false);
  }
});

describe("quantities and thresholds", () => {
  test.each(["100m", "2Gi", "1e3", "0", 4, 0.5])("%p is a quantity", (value) => {
    expect(quantity().parse(value)).toBe(String(value));
  });
  test.each(["lots", "-1", -1, "1.2.3", "", Number.POSITIVE_INFINITY, true])("%p is no quantity", (value) => {
    expect(quantity().safeParse(value).success).toBe(false);
  });
  test.each(["10%", "0%", "100%", "12.5%", "100Mi"])("%p is a threshold", (value) => {
    expect(threshold().parse(value)).toBe(value);
  });
  test.each(["101%", "-1%", "%", "ten%"])("%p is no threshold", (value) => {
    expect(threshold().safeParse(value).success).toBe(false);
  });
});

test.each([
  { name: "worker-1", fits: true },
  { name: "worker-1.example.com", fits: true },
  { name: "Worker", fits: false },
  { name: "a_b", fits: false },
  { name: "-a", fits: false },
  { name: "a..b", fits: false },
  { name: "a".repeat(254), fits: false },
])("$name names a node: $fits", ({ name, fits }) => {
  expect(subdomain().safeParse(name).success).toBe(fits);
});

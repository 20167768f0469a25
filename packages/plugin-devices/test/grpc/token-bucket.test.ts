import { expect, test } from "@jest/globals";
import { TokenBucket } from "../../src/grpc/token-bucket.js";

test("ten at once, then a hundred a second, and never more than ten saved up", () => {
  let now = 0;
  const bucket = new TokenBucket(100, 10, () => now);
  const taken = (tries: number): number => Array.from({ length: tries }, () => bucket.take()).filter(Boolean).length;
  expect(taken(20)).toBe(10);
  now += 5;
  expect(taken(5)).toBe(0);
  now += 5;
  expect(taken(5)).toBe(1);
  now += 50;
  expect(taken(20)).toBe(5);
  now += 60_000;
  expect(taken(20)).toBe(10);
});

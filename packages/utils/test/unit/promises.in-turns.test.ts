import { expect, test } from "@jest/globals";
import { inTurns } from "../../src/promises.js";

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

test("the first items are answered before the last ones are reached, in order, each once", async () => {
  const recorded: string[] = [];
  await inTurns(numbers(20), async (one) => {
    recorded.push(`begin ${one}`);
    await new Promise((resolve) => setImmediate(resolve));
    recorded.push(`end ${one}`);
  });
  expect(recorded.filter((line) => line.startsWith("begin"))).toEqual(numbers(20).map((one) => `begin ${one}`));
  expect(recorded.indexOf("end 0")).toBeLessThan(recorded.indexOf("begin 19"));
  expect(recorded).toHaveLength(40);
});

test("ten thousand take no more than some turns of the event loop", async () => {
  let turns = 0;
  let ends = false;
  const count = (): void => {
    turns++;
    if (!ends) setImmediate(count);
  };
  setImmediate(count);
  await inTurns(numbers(10_000), async () => {});
  ends = true;
  expect(turns).toBeLessThan(40);
});

test("a failure in an early turn is reported at the end, and does not affect the others", async () => {
  const begun: number[] = [];
  const all = inTurns(numbers(30), async (one) => {
    begun.push(one);
    if (one === 0) throw new Error("the first one fails");
  });
  await expect(all).rejects.toThrow("the first one fails");
  expect(begun).toHaveLength(30);
});

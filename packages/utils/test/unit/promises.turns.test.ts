import { expect, test } from "@jest/globals";
import { Turns } from "../../src/promises.js";

test("callers have their turns in order, and what else is due in the event loop runs between them", async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const all = Promise.all(["a", "b", "c"].map(async (name) => turns.next().then(() => seen.push(name))));
  const other = (): void => {
    seen.push("-");
    if (seen.length < 20 && !seen.includes("c")) setImmediate(other);
  };
  setImmediate(other);
  await all;
  expect(seen.join("")).toMatch(/^-?a-+b-+c$/);
});

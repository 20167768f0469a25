import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { Budget } from "../../../src/image/bounds.js";

const refused = (message: string) => expect.objectContaining({ code: "invalid-argument", message });
const hint = (option: string) => `raise the runtime's option ${option} if that is right`;
const tooManyBytes = refused(`the image holds more than 10 bytes; ${hint("maxImageBytes")}`);

test("an image may have as many bytes as the option says, in all its layers together", () => {
  const budget = new Budget({ maxBytes: 10, maxEntries: 0 });
  budget.takeBytes(4);
  budget.takeBytes(6);
  expect(budget.bytes).toBe(10);
  expect(() => budget.takeBytes(1)).toThrow(tooManyBytes);
});

test("an image may have as many files as the option says", () => {
  const budget = new Budget({ maxBytes: 0, maxEntries: 2 });
  budget.takeEntry();
  budget.takeEntry();
  expect(budget.entries).toBe(2);
  expect(() => budget.takeEntry()).toThrow(refused(`the image holds more than 2 files; ${hint("maxImageEntries")}`));
});

test("bytes on their way are counted, and stop where there are too many", async () => {
  const budget = new Budget({ maxBytes: 10, maxEntries: 0 });
  const meter = () => Readable.from([Buffer.from("abc"), Buffer.from("defg")]).pipe(budget.meter());
  expect((await buffer(meter())).toString()).toBe("abcdefg");
  expect(budget.bytes).toBe(7);
  await expect(buffer(meter())).rejects.toEqual(tooManyBytes);
});

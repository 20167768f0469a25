import { expect, test } from "@jest/globals";
import { isPlainRecord } from "../../../src/config/values.js";

test("a plain record is an object as JSON makes it, of any realm", () => {
  for (const plain of [{}, { a: 1 }, Object.create(null)]) expect(isPlainRecord(plain)).toBe(true);
  for (const other of [null, undefined, 1, "a", [], new Date(), new (class A {})()])
    expect(isPlainRecord(other)).toBe(false);
});

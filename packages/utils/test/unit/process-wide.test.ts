import { expect, test } from "@jest/globals";
import { processWide } from "../../src/process-wide.js";

test("one value for each name: the first caller makes it, also for a copy of the module", () => {
  const made = processWide("test of one", () => ({ by: "first" }));
  expect(processWide("test of one", () => ({ by: "second" }))).toBe(made);
  expect(processWide("test of another", () => "other")).toBe("other");
  expect(Reflect.get(globalThis, Symbol.for("@hooklet/core/test of one"))).toBe(made);
});

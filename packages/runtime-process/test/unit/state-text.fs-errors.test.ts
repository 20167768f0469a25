import { expect, test } from "@jest/globals";
import { allowing, isMissing, unlessMissing } from "../../src/state-text.js";

const failing = (code?: string) => Promise.reject(Object.assign(new Error("no"), { code }));

test.each([
  ["ENOENT", true],
  ["ENOTDIR", true],
  ["ESRCH", true],
  ["EACCES", false],
  [undefined, false],
])("%s: missing %p", async (code, missing) => {
  const error = Object.assign(new Error("no"), { code });
  expect(isMissing(error)).toBe(missing);
  const found = unlessMissing(Promise.reject(error));
  await (missing ? expect(found).resolves.toBeUndefined() : expect(found).rejects.toBe(error));
});

test("an existing file has its code", async () => {
  expect(await unlessMissing(Promise.resolve(1))).toBe(1);
});

test("an allowed code is returned, any other error passes on", async () => {
  expect(await allowing(["EBUSY"], Promise.resolve())).toBe(true);
  expect(await allowing(["EBUSY", "ENOTEMPTY"], failing("ENOTEMPTY"))).toBe(false);
  await expect(allowing(["EBUSY"], failing("EIO"))).rejects.toThrow("no");
  await expect(allowing(["EBUSY"], failing())).rejects.toThrow("no");
});

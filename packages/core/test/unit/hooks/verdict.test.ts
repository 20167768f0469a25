import { expect, test } from "@jest/globals";
import { AdmissionVerdict } from "../../../src/hooks/verdict.js";

const postpone = (change: object) =>
  AdmissionVerdict.admitted().postpone({ reason: "NotYet", message: "it comes", retryAfterSeconds: 1, ...change })
    .postponement;

test.each([{ reason: "A" }, { reason: "Waiting4It" }, { retryAfterSeconds: 0.1 }, { retryAfterSeconds: 3600 }])(
  "a postponement with %p is taken as it is",
  (change) => {
    expect(postpone(change)).toMatchObject(change);
  },
);

test.each([
  [{ reason: "notYet" }, "reason"],
  [{ reason: "Not yet" }, "reason"],
  [{ reason: "-NotYet" }, "reason"],
  [{ reason: "" }, "reason"],
  [{ message: "" }, "message"],
  [{ message: 5 }, "message"],
  [{ retryAfterSeconds: 0.09 }, "retryAfterSeconds"],
  [{ retryAfterSeconds: 3601 }, "retryAfterSeconds"],
  [{ retryAfterSeconds: Number.NaN }, "retryAfterSeconds"],
])("a postponement with %p is refused, naming its %s", (change, field) => {
  expect(() => postpone(change)).toThrow(field);
});

test("of two postponements the first counts, of two rejections both are kept in order", () => {
  const given = { message: "it comes", retryAfterSeconds: 1 };
  const verdict = AdmissionVerdict.admitted()
    .postpone({ reason: "First", ...given })
    .postpone({ reason: "Second", ...given })
    .reject({ reason: "A", message: "a" })
    .reject({ reason: "B", message: "b" });
  expect(verdict.postponement?.reason).toBe("First");
  expect(verdict.rejections.map(({ reason }) => reason)).toEqual(["A", "B"]);
  expect([verdict.admitted, AdmissionVerdict.admitted().admitted]).toEqual([false, true]);
});

test("verdicts of one admission succeed each other, those of two do not", () => {
  const first = AdmissionVerdict.admitted();
  expect(first.reject({ reason: "A", message: "a" }).succeeds(first)).toBe(true);
  expect(AdmissionVerdict.admitted().succeeds(first)).toBe(false);
});

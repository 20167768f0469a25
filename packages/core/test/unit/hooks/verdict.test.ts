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

const word = "reason of a postponement: expected a CamelCase word, found ";
const sentence = "message of a postponement: expected a sentence, found ";
const time = "retryAfterSeconds: expected 0.1 to 3600, found ";
test.each([
  [{ reason: "notYet" }, `${word}"notYet".`],
  [{ reason: "Not yet" }, `${word}"Not yet".`],
  [{ reason: "-NotYet" }, `${word}"-NotYet".`],
  [{ reason: "" }, `${word}"".`],
  [{ message: "" }, `${sentence}"".`],
  [{ message: 5 }, `${sentence}5.`],
  [{ retryAfterSeconds: 0.09 }, `${time}0.09.`],
  [{ retryAfterSeconds: 3601 }, `${time}3601.`],
  [{ retryAfterSeconds: Number.NaN }, time],
])("a postponement with %p is refused: %s", (change, message) => {
  expect(() => postpone(change)).toThrow(
    expect.objectContaining({ code: "INVALID", message: expect.stringContaining(message) }),
  );
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

/** The user that the API server's review of a token names. */
import { expect, test } from "@jest/globals";
import { userOfReview } from "../../../src/node/user.js";

test("a user with groups and extra is taken, and is authenticated", () => {
  const extra = { "example.org/team": ["a"] };
  expect(userOfReview({ username: "eve", uid: "1", groups: ["dev"], extra })).toEqual({
    name: "eve",
    uid: "1",
    groups: ["dev", "system:authenticated"],
    extra,
  });
  expect(userOfReview({})).toBeUndefined();
});

test.each<[string, object]>([
  ["a name that is an object without a text", { username: { toString: "admin" } }],
  ["a list for a name", { username: ["admin"] }],
  ["a number for a uid", { username: "eve", uid: 0 }],
  ["a text for groups", { username: "eve", groups: "system:masters" }],
  ["a group that is no text", { username: "eve", groups: [{ toString: 1 }] }],
  ["a list for extra", { username: "eve", extra: [["a"]] }],
  ["a text for the values of extra", { username: "eve", extra: { key: "value" } }],
])("%s is refused: a value of the wrong type is no name", (_what, user) => {
  expect(() => userOfReview(user as never)).toThrow(/^the API server named a user/);
});

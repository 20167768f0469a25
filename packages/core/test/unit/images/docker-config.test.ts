import { expect, test } from "@jest/globals";
import { loginsIn } from "../../../src/images/docker-config.js";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

test.each([
  {
    name: "an auth that is empty, as docker leaves it behind, takes nothing from username and password",
    entry: { auth: "", username: "a", password: "b" },
    logins: [{ place: "r", username: "a", password: "b" }],
  },
  {
    name: "an auth goes before username and password",
    entry: { auth: base64("a:b:c"), username: "x", password: "y" },
    logins: [{ place: "r", username: "a", password: "b:c" }],
  },
  {
    name: "an auth may have no password behind its colon",
    entry: { auth: base64("a:"), password: "y" },
    logins: [{ place: "r", username: "a", password: "" }],
  },
  {
    name: "an auth without a colon is no login, and the fields beside it do not make one of it",
    entry: { auth: base64("garbage"), username: "a", password: "b" },
    logins: [],
  },
  {
    name: "an identity token needs no name",
    entry: { auth: "", identitytoken: "t" },
    logins: [{ place: "r", username: "", password: "", identityToken: "t" }],
  },
  { name: "an entry of nothing is no login", entry: {}, logins: [] },
  { name: "an entry that is no object is no login", entry: "a:b", logins: [] },
])("$name", ({ entry, logins }) => expect(loginsIn({ r: entry })).toEqual(logins));

test("what has no entries has no logins", () => {
  expect([undefined, null, [], "x"].map(loginsIn)).toEqual([[], [], [], []]);
});

import { expect, test } from "@jest/globals";
import { firstHop, nextHop } from "../../src/manifest-url.js";

const headers = { "x-token": ["s3cret"] };

test.each([
  { name: "the same origin keeps them", url: "https://a:8443/x", to: "/y", headers },
  { name: "another host gets none", url: "https://a/x", to: "https://b/y", headers: {} },
  { name: "another port gets none", url: "https://a/x", to: "https://a:8443/y", headers: {} },
  { name: "another protocol gets none", url: "http://a/x", to: "https://a/y", headers: {} },
  { name: "a host that only looks alike gets none", url: "https://a/x", to: "//a.evil.example/y", headers: {} },
])("configured headers after a redirect: $name", ({ url, to, headers: expected }) => {
  expect(nextHop({ url, headers }, to).headers).toEqual(expected);
});

test("headers that were left behind once do not come back with a redirect home", () => {
  const away = nextHop({ url: "https://a/x", headers }, "https://b/y");
  expect(nextHop(away, "https://a/x").headers).toEqual({});
});

test.each(["http://a/x", "file:///etc/shadow", "data:text/plain,x"])("nothing goes from https to %s", (to) => {
  expect(() => nextHop({ url: "https://a/x", headers }, to)).toThrow(/expected to stay on https/);
});

test("from http only http and https are followed, and an invalid Location is an error", () => {
  expect(() => nextHop({ url: "http://a/x", headers }, "file:///etc/shadow")).toThrow(
    "http://a/x redirects to file:; expected http or https",
  );
  expect(() => nextHop({ url: "http://a/x", headers }, `http://[${"x".repeat(200)}`)).toThrow(
    `http://a/x redirects to "http://[${"x".repeat(192)}"; expected a URL`,
  );
});

test.each<[string, string]>([
  ["me@", "me:"],
  [":pass@", ":pass"],
  ["me:pass@", "me:pass"],
])("of %s in the URL the header has %s, beside those that are configured", (user, credentials) => {
  expect(firstHop(`https://${user}a/x`, headers)).toEqual({
    url: "https://a/x",
    headers: { ...headers, authorization: [`Basic ${Buffer.from(credentials).toString("base64")}`] },
  });
});

test("a URL without name and password is asked as it is", () => {
  expect(firstHop("https://a", headers)).toEqual({ url: "https://a", headers });
});

test("name and password of a place that an answer names are not sent", () => {
  expect(nextHop({ url: "https://a/x", headers }, "https://me:p@a/y")).toEqual({ url: "https://a/y", headers });
});

test("name and password of the URL go as a header, to its own origin only", () => {
  const hop = firstHop("https://me:p%40ss@a/x", {});
  expect(hop).toEqual({
    url: "https://a/x",
    headers: { authorization: [`Basic ${Buffer.from("me:p@ss").toString("base64")}`] },
  });
  expect(nextHop(hop, "https://b/").headers).toEqual({});
  expect(firstHop("https://me:p@a/x", { Authorization: ["Bearer t"] }).headers).toEqual({
    Authorization: ["Bearer t"],
  });
});

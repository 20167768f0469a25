import { describe, expect, test } from "@jest/globals";
import { loginsFor, loginsIn } from "../../../src/images/docker-config.js";

/** The places whose logins fit an image, the first to be tried first. */
const placesFor = (image: string, ...places: readonly string[]): readonly string[] =>
  loginsFor(
    places.map((place) => ({ place, username: "me", password: "x" })),
    image,
  ).map(({ place }) => place);

// The cases of the kubelet's keyring (pkg/credentialprovider/keyring.go).
describe("a login fits an image", () => {
  test.each<{ name: string; image: string; place: string; fits: boolean }>([
    { name: "of its registry", image: "registry.example/team/web:1", place: "registry.example", fits: true },
    { name: "of another registry", image: "registry.example/web", place: "other.example", fits: false },
    {
      name: "of a folder of its registry",
      image: "registry.example/team/web",
      place: "registry.example/team",
      fits: true,
    },
    { name: "of another folder", image: "registry.example/team/web", place: "registry.example/other", fits: false },
    { name: "of a folder two down", image: "r.example/a/b/web", place: "r.example/a/b", fits: true },
    { name: "of the same port", image: "r.example:5000/web", place: "r.example:5000", fits: true },
    { name: "of another port", image: "r.example:5000/web", place: "r.example:5001", fits: false },
    { name: "without a port, where the image has one", image: "r.example:5000/web", place: "r.example", fits: false },
    { name: "with a port, where the image has none", image: "r.example/web", place: "r.example:443", fits: false },
    { name: "of any host of a domain", image: "a.r.example/web", place: "*.r.example", fits: true },
    { name: "of any host, but one level only", image: "a.b.r.example/web", place: "*.r.example", fits: false },
    { name: "of any host, but not the domain itself", image: "r.example/web", place: "*.r.example", fits: false },
    { name: "of hosts whose name begins so", image: "eu1.r.example/web", place: "eu*.r.example", fits: true },
    { name: "of hosts whose name ends so", image: "pull-eu.r.example/web", place: "*-eu.r.example", fits: true },
    {
      name: "of hosts with a star that stands for nothing",
      image: "eu.r.example/web",
      place: "eu*.r.example",
      fits: true,
    },
    { name: "of hosts with one letter more", image: "eu1.r.example/web", place: "eu?.r.example", fits: true },
    {
      name: "of hosts with one letter more, where there is none",
      image: "eu.r.example/web",
      place: "eu?.r.example",
      fits: false,
    },
    {
      name: "of hosts with one letter more, where there are two",
      image: "eu12.r.example/web",
      place: "eu?.r.example",
      fits: false,
    },
    { name: "of hosts with a star in the middle", image: "a-x-b.r.example/web", place: "a*b.r.example", fits: true },
    { name: "of hosts with two stars", image: "a1b2c.r.example/web", place: "a*b*c.r.example", fits: true },
    { name: "where the first try of a star fails", image: "abab.r.example/web", place: "*ab.r.example", fits: true },
    { name: "where no try of a star fits", image: "abac.r.example/web", place: "*ab.r.example", fits: false },
    {
      name: "where the pattern goes on behind the name",
      image: "ab.r.example/web",
      place: "abc.r.example",
      fits: false,
    },
    {
      name: "where the name goes on behind the pattern",
      image: "abc.r.example/web",
      place: "ab.r.example",
      fits: false,
    },
    { name: "with stars behind the name's end", image: "ab.r.example/web", place: "ab**.r.example", fits: true },
    {
      name: "with more than stars behind the name's end",
      image: "ab.r.example/web",
      place: "ab*c.r.example",
      fits: false,
    },
    { name: "of a host with a star of its own, read as any text", image: "r.example/web", place: "r.*", fits: true },
  ])("$name: $fits", ({ image, place, fits }) => {
    expect(placesFor(image, place)).toEqual(fits ? [place] : []);
  });

  test("the most specific one is tried first, in any order in the file", () => {
    const places = ["r.example", "r.example/team/web", "r.example/team"];
    const expected = ["r.example/team/web", "r.example/team", "r.example"];
    expect(placesFor("r.example/team/web:1", ...places)).toEqual(expected);
    expect(placesFor("r.example/team/web:1", ...places.toReversed())).toEqual(expected);
  });

  test("two of one place keep their order", () => {
    const twice = ["a", "b"].map((username) => ({ place: "r.example", username, password: "x" }));
    expect(loginsFor(twice, "r.example/web").map(({ username }) => username)).toEqual(["a", "b"]);
  });
});

describe("an image of Docker Hub", () => {
  test.each([
    ["has the login that docker itself writes", ["index.docker.io/v1/"], ["index.docker.io/v1/"]],
    ["has the login of docker.io rather than that", ["index.docker.io", "docker.io"], ["docker.io"]],
    ["has no other registry's", ["registry.example"], []],
    ["has no other host's of docker.io", ["hub.docker.io"], []],
  ])("%s", (_, places, expected) => expect(placesFor("web:1", ...places)).toEqual(expected));

  test("alone has it: another registry's image does not", () => {
    expect(placesFor("registry.example/web", "index.docker.io")).toEqual([]);
  });
});

test("an invalid image name has no logins, with an error", () => {
  expect(() => loginsFor([], "NO NAME")).toThrow("is no image name");
});

describe("the place of a login, as docker's files write it", () => {
  test.each([
    { url: "registry.example", place: "registry.example" },
    { url: "https://registry.example", place: "registry.example" },
    { url: "http://registry.example/", place: "registry.example" },
    { url: "https://index.docker.io/v1/", place: "index.docker.io" },
    { url: "https://registry.example/v2/", place: "registry.example" },
    { url: "https://registry.example/v2", place: "registry.example" },
    { url: "https://registry.example/v1/team", place: "registry.example/team" },
    { url: "registry.example/team/", place: "registry.example/team" },
    { url: "registry.example/team/web", place: "registry.example/team/web" },
    { url: "registry.example/v3", place: "registry.example/v3" },
    { url: "registry.example/v1beta/web", place: "registry.example/v1beta/web" },
    { url: "registry.example/team/v2/web", place: "registry.example/team/v2/web" },
    { url: "registry.example/https://x", place: "registry.example/https://x" },
  ])("$url is $place", ({ url, place }) => {
    expect(loginsIn({ [url]: { username: "me", password: "x" } })).toEqual([{ place, username: "me", password: "x" }]);
  });
});

test("what is no text in a login counts as empty", () => {
  expect(loginsIn({ r: { username: "me", password: 1, identitytoken: 2, auth: 3 } })).toEqual([
    { place: "r", username: "me", password: "" },
  ]);
  expect(loginsIn({ r: { username: 1, password: "x", identitytoken: "" } })).toEqual([]);
});

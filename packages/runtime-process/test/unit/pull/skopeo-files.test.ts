import { describe, expect, test } from "@jest/globals";
import { parse } from "smol-toml";
import type { RegistryHosts } from "../../../src/pull/hosts-toml.js";
import { authFile, registriesConf, skopeoError } from "../../../src/pull/skopeo-files.js";

const host = (location: string, more: object = {}) => ({
  location,
  insecure: false,
  onlyDigests: false,
  ca: [],
  client: [],
  ...more,
});
const hosts: RegistryHosts = [host("m.example:5000/proxy", { insecure: true, onlyDigests: true }), host("docker.io")];
const base64 = (text: string): string => Buffer.from(text).toString("base64");

test("registries.conf has the mirrors, and the last host in the place of the registry", () => {
  expect(parse(registriesConf("docker.io", hosts))).toEqual({
    registry: [
      {
        prefix: "docker.io",
        location: "docker.io",
        insecure: false,
        mirror: [{ location: "m.example:5000/proxy", insecure: true, "pull-from-mirror": "digest-only" }],
      },
    ],
  });
});

describe("the file of credentials", () => {
  const auths = (...given: Parameters<typeof authFile>) => JSON.parse(authFile(...given)).auths;

  test("has user and password for each host that is asked", () => {
    const auth = base64("me:a:b");
    expect(auths(hosts, { username: "me", password: "a:b" })).toEqual({
      "m.example:5000": { auth },
      "docker.io": { auth },
    });
  });

  test.each([
    ["nothing is known", undefined, {}],
    ["a whole login", { auth: "bTpw" }, { "r.example": { auth: "bTpw" } }],
    ["an identity token", { identityToken: "t" }, { "r.example": { identitytoken: "t" } }],
    [
      "a login of this server",
      { username: "m", serverAddress: "https://r.example/v1/" },
      { "r.example": { auth: base64("m:") } },
    ],
    ["a login of another server", { username: "m", serverAddress: "other.example" }, {}],
  ])("where it is about %s", (_name, credentials, expected) => {
    expect(auths([host("r.example")], credentials)).toEqual(expected);
  });

  test("a registry token is refused: skopeo takes none from a file", () => {
    expect(() => authFile(hosts, { registryToken: "t" })).toThrow("a registry token cannot be used here");
  });
});

test.each([
  [
    'time="2026-11-27T15:21:37Z" level=fatal msg="initializing source docker://r.example/web:1: reading manifest 1 in r.example/web: unauthorized: authentication required"\n',
    1,
    "reading manifest 1 in r.example/web: unauthorized: authentication required",
  ],
  [
    'time="x" level=fatal msg="Error parsing image name \\"docker://r.example/web:1\\": Get \\"https://r.example/v2/\\": no such host"',
    1,
    'Get "https://r.example/v2/": no such host',
  ],
  ['level=fatal msg="a \\u001b[31mred\\nline"', 1, "a [31mred line"],
  ["mount: /tmp: permission denied.\n", 1, "mount: /tmp: permission denied."],
  ["", 2, "skopeo ended with code 2"],
  ["", 137, "skopeo ended with signal 9"],
  ["x".repeat(2_000), 1, `${"x".repeat(1_000)} ...`],
])("of what skopeo says the cause is left, in one printable line: %#", (output, code, expected) => {
  expect(skopeoError(output, code)).toBe(expected);
});

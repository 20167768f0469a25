import { describe, expect, test } from "@jest/globals";
import { canonicalName, parseReference } from "../../../src/images/reference.js";

const DIGEST = `sha256:${"0".repeat(64)}`;

describe("an image's name as docker reads it", () => {
  test.each([
    { name: "web", expected: "docker.io/library/web:latest" },
    { name: "web:1", expected: "docker.io/library/web:1" },
    { name: "team/web", expected: "docker.io/team/web:latest" },
    { name: "docker.io/web:1", expected: "docker.io/library/web:1" },
    { name: "docker.io/team/web:1", expected: "docker.io/team/web:1" },
    { name: "index.docker.io/web", expected: "docker.io/library/web:latest" },
    { name: "index.docker.io/team/web", expected: "docker.io/team/web:latest" },
    { name: "registry.example/web", expected: "registry.example/web:latest" },
    { name: "index.docker.io/library/web", expected: "docker.io/library/web:latest" },
    { name: "registry:5000/web", expected: "registry:5000/web:latest" },
    { name: "[::1]:5000/web", expected: "[::1]:5000/web:latest" },
    { name: "[fd00::a]/web", expected: "[fd00::a]/web:latest" },
    { name: "Registry.Example/web", expected: "Registry.Example/web:latest" },
    { name: "r-1.example/a/b/c:v1.2_3-x", expected: "r-1.example/a/b/c:v1.2_3-x" },
    { name: "team/my_app.x--y", expected: "docker.io/team/my_app.x--y:latest" },
    { name: "team/a__b", expected: "docker.io/team/a__b:latest" },
    { name: `web:${"t".repeat(128)}`, expected: `docker.io/library/web:${"t".repeat(128)}` },
    { name: "localhost/web", expected: "localhost/web:latest" },
    { name: "localhost:5000/web", expected: "localhost:5000/web:latest" },
    { name: `web:1@${DIGEST}`, expected: `docker.io/library/web@${DIGEST}` },
    { name: `docker.io/web@${DIGEST}`, expected: `docker.io/library/web@${DIGEST}` },
  ])("$name is $expected", ({ name, expected }) => {
    expect(canonicalName(name)).toBe(expected);
    expect(canonicalName(expected)).toBe(expected);
  });

  test.each([
    "",
    "NO NAME",
    "web:",
    "web@sha256:0",
    "Web",
    "a//b",
    "https://registry.example/web",
    "registry.example/",
    "registry.example:/web",
    "registry.example:port/web",
    "registry.example:123456/web",
    "-.example:x/web",
    "[::1/web",
    "x[::1]/web",
    "[::g]/web",
    "a_b.example/web",
    ".example/web",
    "a..b/web",
    "web/",
    "/web",
    "team/Web",
    "team/web!",
    "team/-web",
    "team/web-",
    "team/a___b",
    "team/a..b",
    "web:-1",
    "web:.1",
    "web:1!",
    `web:${"t".repeat(129)}`,
    "web@",
    `web@${DIGEST}@${DIGEST}`,
    `web@sha256:${"0".repeat(31)}`,
    `web@sha256:${"g".repeat(64)}`,
    `web@:${"0".repeat(64)}`,
    `web@SHA256:${"0".repeat(64)}`,
    `web@sha256:${"0".repeat(64)}x!`,
    `web@!sha256:${"0".repeat(64)}`,
    `registry.example/${"a".repeat(239)}`,
    `web:1@sha256:${"0".repeat(510)}`,
    `${"a".repeat(600)}`,
  ])("%p is none", (name) => expect(() => canonicalName(name)).toThrow(/is no image name/));
});

describe("a reference", () => {
  test.each<[string, string, ReturnType<typeof parseReference>]>([
    ["has the tag latest where it names none", "web", { repository: "docker.io/library/web", tag: "latest" }],
    ["has no tag of its own beside a digest", `web@${DIGEST}`, { repository: "docker.io/library/web", digest: DIGEST }],
    [
      "keeps the tag that stands before its digest",
      `web:1@${DIGEST}`,
      { repository: "docker.io/library/web", tag: "1", digest: DIGEST },
    ],
    [
      "may have a registry with a port and no tag",
      "r.example:5000/web",
      { repository: "r.example:5000/web", tag: "latest" },
    ],
    [
      "may be 255 characters long without its tag",
      `registry.example/${"a".repeat(238)}:1`,
      { repository: `registry.example/${"a".repeat(238)}`, tag: "1" },
    ],
  ])("%s", (_, name, expected) => expect(parseReference(name)).toEqual(expected));

  test("the error shows what was found, and what is expected", () => {
    expect(() => parseReference("Web")).toThrow(
      expect.objectContaining({
        code: "invalid-image-name",
        message:
          '"Web" is no image name; expected REPOSITORY[:TAG][@DIGEST] in lower case, for example web:1 or registry.example/team/web:1',
      }),
    );
    expect(() => parseReference("A".repeat(600))).toThrow(/^"A{512}" is no image name/);
  });
});

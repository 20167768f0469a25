import { describe, expect, test } from "@jest/globals";
import { canonicalName } from "../../src/images/reference.js";

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
    `${"a".repeat(600)}`,
  ])("%p is none", (name) => expect(() => canonicalName(name)).toThrow(/is no image name/));
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { dockerConfigFiles, nodeCredentials } from "../../../src/images/docker-config-file.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hooklet-docker-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);
const write = (name: string, text: string): string => {
  writeFileSync(at(name), text);
  return at(name);
};
const logins = (username: string): string =>
  JSON.stringify({ auths: { "r.example": { username, password: "p" }, "r.example/team": { identitytoken: "t" } } });

test.each<[string, string | undefined, string | undefined, readonly string[]]>([
  [
    "where the kubelet looks",
    "/home/me",
    undefined,
    ["/root/config.json", "/home/me/.docker/config.json", "/.docker/config.json"],
  ],
  ["without a home", undefined, undefined, ["/root/config.json", "/.docker/config.json"]],
  ["the given one alone", "/home/me", "/etc/pull.json", ["/etc/pull.json"]],
])("the files are %s", (_, home, given, files) => {
  expect(dockerConfigFiles("/root", home, given)).toEqual(files);
});

describe("the credentials of an image", () => {
  const of = (image: string, ...files: readonly string[]) => nodeCredentials(image, files);

  test("are those of the first file that is there, for no server, the most specific first", async () => {
    const files = [at("gone"), write("first", logins("me")), write("second", logins("you"))];
    expect(await of("r.example/team/web", ...files)).toEqual([
      { username: "", password: "", identityToken: "t", serverAddress: "" },
      { username: "me", password: "p", identityToken: "", serverAddress: "" },
    ]);
    expect(await of("other.example/web", ...files)).toEqual([]);
  });

  test("are none where no file is there, also when its folder is a file", async () => {
    expect(await of("r.example/web", at("gone"), path.join(write("home", ""), ".docker/config.json"))).toEqual([]);
  });

  test("are none of a file without logins", async () => {
    expect(await of("r.example/web", write("empty", "{}"))).toEqual([]);
  });

  test.each<[string, string, string]>([
    ["no JSON", "{", "JSON"],
    ["another type of login", '{"auths":{"r.example":{"username":5}}}', "username"],
    ["more than a MiB", " ".repeat(1024 * 1024 + 1), "it has 1048577 bytes, expected at most 1048576"],
  ])("cannot be read from a file with %s", async (_, text, why) => {
    const file = write("config.json", text);
    await expect(of("r.example/web", file)).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(new RegExp(`^${file} is no docker config file: .*${why}`, "s")),
    });
  });

  test("of a MiB are read", async () => {
    const text = logins("me");
    expect(await of("r.example/web", write("config.json", text.padEnd(1024 * 1024)))).toMatchObject([
      { username: "me" },
    ]);
  });

  test("cannot be read from a folder", async () => {
    mkdirSync(at("config.json"));
    await expect(of("r.example/web", at("config.json"))).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(/^registry credentials cannot be read: EISDIR/),
    });
  });
});

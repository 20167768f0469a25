import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { dockerConfigFiles, nodeCredentials } from "../../../src/images/docker-config-file.js";

describe("registry credentials", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "hooklet-logins-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const base64 = (text: string): string => Buffer.from(text).toString("base64");

  test("a password may have colons, and an identity token is handed on", async () => {
    const file = path.join(folder, "config.json");
    await writeFile(file, JSON.stringify({ auths: { "r.example": { auth: base64("me:a:b"), identitytoken: "t" } } }));
    expect(await nodeCredentials("r.example/web", [file])).toEqual([
      { username: "me", password: "a:b", identityToken: "t", serverAddress: "" },
    ]);
  });

  test("the first file that is there counts; none is no trouble", async () => {
    const [first = "", second = ""] = dockerConfigFiles(path.join(folder, "root"), path.join(folder, "home"));
    expect(await nodeCredentials("r.example/web", [first, second])).toEqual([]);
    await mkdir(path.dirname(second), { recursive: true });
    await writeFile(second, JSON.stringify({ auths: { "r.example": { username: "home" } } }));
    expect((await nodeCredentials("r.example/web", [first, second])).map(({ username }) => username)).toEqual(["home"]);
  });

  test.each([
    { name: "no JSON", text: "{" },
    { name: "a login that is no object", text: '{"auths":{"r.example":"me"}}' },
    { name: "a user that is no text", text: '{"auths":{"other.example":{"username":5}}}' },
  ])("a file with $name is an error of that file, not a file without credentials", async ({ text }) => {
    const file = path.join(folder, "config.json");
    await writeFile(file, text);
    await expect(nodeCredentials("r.example/web", [file])).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(file),
    });
  });
});

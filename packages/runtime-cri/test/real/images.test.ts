import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { credentialsFor, usualPlaces } from "../../src/images/docker-config.js";
import { temporaryFolder } from "../containerd.js";

describe("registry credentials", () => {
  let scratch: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    scratch = await temporaryFolder();
  });
  afterEach(() => scratch.remove());

  const base64 = (text: string): string => Buffer.from(text).toString("base64");

  test("a password may have colons, and an identity token is handed on", async () => {
    const file = path.join(scratch.folder, "config.json");
    await writeFile(file, JSON.stringify({ auths: { "r.example": { auth: base64("me:a:b"), identitytoken: "t" } } }));
    expect(await credentialsFor("r.example/web", [file])).toEqual([
      { username: "me", password: "a:b", identityToken: "t", serverAddress: "" },
    ]);
  });

  test("the first file that is there counts; none is no trouble", async () => {
    const [first = "", second = ""] = usualPlaces(path.join(scratch.folder, "root"), path.join(scratch.folder, "home"));
    expect(await credentialsFor("r.example/web", [first, second])).toEqual([]);
    await mkdir(path.dirname(second), { recursive: true });
    await writeFile(second, JSON.stringify({ auths: { "r.example": { username: "home" } } }));
    expect((await credentialsFor("r.example/web", [first, second])).map(({ username }) => username)).toEqual(["home"]);
  });

  test.each([
    { name: "no JSON", text: "{" },
    { name: "a login that is no object", text: '{"auths":{"r.example":"me"}}' },
    { name: "a user that is no text", text: '{"auths":{"other.example":{"username":5}}}' },
  ])("a file with $name is told by its own name, not taken for one without credentials", async ({ text }) => {
    const file = path.join(scratch.folder, "config.json");
    await writeFile(file, text);
    await expect(credentialsFor("r.example/web", [file])).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(file),
    });
  });
});

/** The kubelet's types of host paths. */
import { existsSync, mkdtempSync, rmSync, type Stats, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { hostPathFault, missingHostPath, prepareHostPath } from "../../src/host-path.js";

const KINDS = ["Directory", "File", "Socket", "CharacterDevice", "BlockDevice"] as const;

/** Of a file of this kind. */
const stats = (kind: (typeof KINDS)[number]): Stats =>
  Object.fromEntries(KINDS.map((one) => [`is${one}`, () => one === kind])) as unknown as Stats;

test.each<[string, (typeof KINDS)[number], string]>([
  ["Directory", "Directory", "a directory"],
  ["DirectoryOrCreate", "Directory", "a directory"],
  ["File", "File", "a file"],
  ["FileOrCreate", "File", "a file"],
  ["Socket", "Socket", "a socket file"],
  ["CharDevice", "CharacterDevice", "a character device"],
  ["BlockDevice", "BlockDevice", "a block device"],
])("a path of type %s is a %s alone", (type, own, what) => {
  for (const kind of KINDS) {
    const fault = hostPathFault({ path: "a/../b", type }, stats(kind));
    expect([kind, fault?.message]).toEqual([
      kind,
      kind === own ? undefined : `hostPath type check failed: /b is not ${what}`,
    ]);
  }
});

test.each([undefined, ""])("a path of type %j may be anything", (type) => {
  for (const kind of KINDS)
    expect(hostPathFault({ path: "/a", ...(type !== undefined && { type }) }, stats(kind))).toBeUndefined();
});

test("what is missing is not of its type", () => {
  expect(missingHostPath("Socket", "/a").message).toBe("hostPath type check failed: /a is not a socket file");
  expect(missingHostPath("Other", "/a").message).toBe("hostPath type check failed: /a is not Other");
});

describe("where nothing is", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "hooklet-host-path-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each([undefined, "", "DirectoryOrCreate"])("a path of type %j makes a directory, once", async (type) => {
    const source = { path: path.join(folder, "deep/er"), ...(type !== undefined && { type }) };
    await prepareHostPath(source);
    expect(statSync(source.path).isDirectory()).toBe(true);
    await prepareHostPath(source);
    await expect(prepareHostPath({ ...source, type: "FileOrCreate" })).rejects.toThrow(/ is not a file$/);
  });

  test("a path of type FileOrCreate makes an empty file, once", async () => {
    const source = { path: path.join(folder, "it"), type: "FileOrCreate" };
    await prepareHostPath(source);
    expect(statSync(source.path)).toMatchObject({ size: 0 });
    expect(statSync(source.path).isFile()).toBe(true);
    await prepareHostPath(source);
    await expect(prepareHostPath({ ...source, type: "Directory" })).rejects.toThrow(/ is not a directory$/);
  });

  test.each([
    ["Directory", "a directory"],
    ["File", "a file"],
    ["Socket", "a socket file"],
  ])("a path of type %s is refused, and nothing made", async (type, what) => {
    const target = path.join(folder, "it");
    await expect(prepareHostPath({ path: target, type })).rejects.toThrow(
      `hostPath type check failed: ${target} is not ${what}`,
    );
    expect(existsSync(target)).toBe(false);
  });
});

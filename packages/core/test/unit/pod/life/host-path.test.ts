/** The kubelet's types of host paths. */
import type { Stats } from "node:fs";
import { expect, test } from "@jest/globals";
import { hostPathFault, missingHostPath } from "../../../../src/pod/life/host-path.js";

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

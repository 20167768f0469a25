import { describe, expect, test } from "@jest/globals";
import { cleanPayload, PayloadError, timestampPrefix } from "../../../src/internal.js";
import { TIMESTAMPED, visibleEntries } from "../../../src/payload/paths.js";

const payload = (...paths: readonly string[]) =>
  new Map(paths.map((path) => [path, { data: Buffer.from(path), mode: 0o644 }]));

describe("paths in a volume", () => {
  test.each([
    { name: "stay as they are", path: "dir/file.txt", clean: "dir/file.txt" },
    { name: "lose what leads nowhere", path: "./dir//./file/", clean: "dir/file" },
    { name: "may begin with a dot", path: ".hidden", clean: ".hidden" },
    { name: "may have two dots below their first folder", path: "dir/..data", clean: "dir/..data" },
    { name: "may be of 4096 bytes", path: `${"d/".repeat(2045)}${"f".repeat(6)}`, clean: undefined },
    { name: "may have names of 255 bytes", path: "n".repeat(255), clean: undefined },
  ])("$name", ({ path, clean = path }) => {
    expect([...cleanPayload(payload(path)).keys()]).toEqual([clean]);
  });

  test.each([
    { name: "are not empty", path: "", text: 'invalid path: must not be empty: ""' },
    { name: "are relative", path: "/etc/passwd", text: "invalid path: must be relative path: /etc/passwd" },
    { name: "do not lead out", path: "a/../../b", text: "invalid path: must not contain '..': a/../../b" },
    {
      name: "leave names with two dots to the writer, which has its own there",
      path: "..data/file",
      text: "invalid path: must not start with '..': ..data/file",
    },
    { name: "name a file", path: "./", text: "invalid path: must name a file: ./" },
    { name: "have no NUL", path: "a\0b", text: "invalid path: must not contain NUL" },
    {
      name: "are no longer than Linux has them, in bytes",
      path: `${"é/".repeat(1365)}ab`,
      text: "invalid path: must be less than or equal to 4096 characters",
    },
    {
      name: "have names no longer than Linux has them, in bytes",
      path: `dir/${"é".repeat(128)}`,
      text: "invalid path: filenames must be less than or equal to 255 characters",
    },
  ])("$name", ({ path, text }) => {
    expect(() => cleanPayload(payload(path))).toThrow(new PayloadError(text));
  });

  test("one bad path spoils the volume: nothing is half written", () => {
    expect(() => cleanPayload(payload("good", "../bad"))).toThrow(PayloadError);
  });
});

test("at the top of a volume each file and each folder is seen once", () => {
  expect([...visibleEntries(payload("a", "dir/one", "dir/deep/two", "b"))]).toEqual(["a", "dir", "b"]);
});

describe("the timestamped folder", () => {
  test("is named after the time, to the second", () => {
    expect(timestampPrefix(Date.UTC(2026, 10, 22, 7, 45, 1, 999))).toBe("..2026_11_22_07_45_01.");
  });

  test("is known by its name", () => {
    expect(TIMESTAMPED.test(`${timestampPrefix(0)}x1Yz`)).toBe(true);
  });
});

import { readFile } from "node:fs/promises";
import { describe, expect, test } from "@jest/globals";
import { errno, unless, whenGone } from "../../src/errno.js";

const fails = (code?: string) => () => {
  throw Object.assign(new Error("no"), code === undefined ? {} : { code });
};

describe("errno", () => {
  test.each<[string, unknown, string | undefined]>([
    ["a system call's error has one", Object.assign(new Error("no"), { code: "EBUSY" }), "EBUSY"],
    ["a code that is no text is none", { code: 2 }, undefined],
    ["an error without code has none", new Error("no"), undefined],
    ["null has none", null, undefined],
  ])("%s", (_, error, expected) => {
    expect(errno(error)).toBe(expected);
  });
});

describe("unless", () => {
  test("gives the other value for the codes that are named, and what the call gives otherwise", () => {
    expect(unless(["ENOENT", "ESRCH"], "none", fails("ESRCH"))).toBe("none");
    expect(unless(["ENOENT"], "none", () => "some")).toBe("some");
  });

  test("passes every other error on", () => {
    expect(() => unless(["ENOENT"], "none", fails("EACCES"))).toThrow("no");
    expect(() => unless(["ENOENT"], "none", fails())).toThrow("no");
  });
});

describe("whenGone", () => {
  test("a file that is not there gives the other value", async () => {
    expect(await whenGone("none", () => readFile(new URL("not-there", import.meta.url), "utf8"))).toBe("none");
  });

  test("calls that fail at once are treated as those that reject", async () => {
    expect(await whenGone("none", fails("ENOENT"))).toBe("none");
    await expect(whenGone("none", fails("ENOTDIR"))).rejects.toThrow("no");
  });

  test("the call begins before whenGone returns", () => {
    let begun = false;
    void whenGone(undefined, () => {
      begun = true;
    });
    expect(begun).toBe(true);
  });
});

import { describe, expect, test } from "@jest/globals";
import { mergeEnvironment, parseImageEnv, routeEnvironment } from "../../src/container/environment.js";

type Entry = readonly [string, string];
const entries = (...texts: readonly string[]) => parseImageEnv(texts);

describe("a container's environment", () => {
  test("is that of its image and its own, the later has the last word in the place of the earlier", () => {
    expect(mergeEnvironment(entries("A=1", "B=2"), entries("C=3", "A=4"))).toEqual([
      ["A", "4"],
      ["B", "2"],
      ["C", "3"],
    ]);
  });

  test("of an image is what has a name and a value, which may hold =", () => {
    expect(entries("A=b=c", "EMPTY=", "NONE", "=x", "")).toEqual([
      ["A", "b=c"],
      ["EMPTY", ""],
    ]);
  });

  test.each<{ name: string; entry: Entry }>([
    { name: "no name", entry: ["", "x"] },
    { name: "= in its name", entry: ["A=B", "x"] },
    { name: "NUL in its name", entry: ["A\0", "x"] },
    { name: "NUL in its value", entry: ["A", "x\0"] },
  ])("with $name is refused, by name", ({ entry }) => {
    const message = `environment variable ${JSON.stringify(entry[0])}: expected a name without = and no NUL`;
    expect(() => mergeEnvironment([entry])).toThrow(expect.objectContaining({ code: "invalid-argument", message }));
  });

  test("has at most what the kernel takes of one variable, counted in bytes", () => {
    const most = 128 * 1024 - 1 - "A=".length - 1;
    expect(mergeEnvironment([["A", "x".repeat(most)]])).toHaveLength(1);
    const message = "environment variable A is too long: at most 131071 bytes each and 1048576 together";
    expect(() => mergeEnvironment([["A", "x".repeat(most + 1)]])).toThrow(
      expect.objectContaining({ code: "invalid-argument", message }),
    );
    expect(() => mergeEnvironment([["A", "ü".repeat(most / 2 + 1)]])).toThrow("is too long");
    expect(() => mergeEnvironment([["A".repeat(most + 2), "x"]])).toThrow("is too long");
  });

  test("has at most a mebibyte together", () => {
    // 16 KiB each, with = and the end.
    const all = (count: number) =>
      Array.from({ length: count }, (_, index): Entry => [`N${100 + index}`, "x".repeat(16 * 1024 - 6)]);
    expect(mergeEnvironment(all(64))).toHaveLength(64);
    expect(() => mergeEnvironment(all(64), [["A", ""]])).toThrow("environment variable A is too long");
  });
});

describe("a variable reaches the container", () => {
  test("by the file that the scripts read, a line feed in it as a line of its own", () => {
    expect(routeEnvironment(entries("A=1", "B=two\nlines\n", "PATH=/bin", "_x1=y"))).toEqual({
      file: "=A=1\n=B=two\n+lines\n+\n=PATH=/bin\n=_x1=y\n",
      outside: [],
      inside: [],
    });
  });

  test.each(["a.b", "1A", "A-B", "ü", "IFS", "PWD", "UID", "ENV", "_", "BASH_ENV", "BASHOPTS", "__hooklet_dir"])(
    "%s by env(1): no shell can export it, or it would change how the scripts read",
    (name) => {
      expect(routeEnvironment([[name, "x"]])).toEqual({ file: "", outside: [`${name}=x`], inside: [] });
    },
  );

  test.each([
    "LD_PRELOAD",
    "LD_",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "LOCPATH",
    "MUSL_LOCPATH",
    "NLSPATH",
    "MALLOC_CHECK_",
  ])("%s only in its own root: it could make a tool that runs as root load the pod's code", (name) => {
    expect(routeEnvironment([[name, "x"]])).toEqual({ file: "", outside: [], inside: [`${name}=x`] });
  });

  test.each(["MYLD_PRELOAD", "XBASH", "MY__hooklet", "PWDX", "GCONV_PATHS"])("%s as any other", (name) => {
    expect(routeEnvironment([[name, "x"]]).file).toBe(`=${name}=x\n`);
  });
});

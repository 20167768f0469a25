import { describe, expect, test } from "@jest/globals";
import { mergeEnvironment, parseImageEnv } from "../../../src/container/create.js";

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
});

import { describe, expect, test } from "@jest/globals";
import { thrownText } from "../../src/thrown-text.js";

const OWN = "/opt/hooklet/packages/";

function thrown(message: string, ...frames: readonly string[]): Error {
  const error = new TypeError(message);
  error.stack = [`TypeError: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join("\n");
  return error;
}

describe("the text of what a plugin or strategy threw", () => {
  test.each([
    ["its own file, named by URL", ["start (file:///home/ada/quota/index.js:8:24)"], "/home/ada/quota/index.js:8:24"],
    ["its own file, named by path, with no function", ["/home/ada/quota/index.ts:3:1"], "/home/ada/quota/index.ts:3:1"],
    ["a step after an await", ["async file:///home/ada/index.js:10:5"], "/home/ada/index.js:10:5"],
    [
      "the caller of what hooklet, Node or a library threw",
      [
        "new NodeAgentError (file:///opt/hooklet/packages/utils/dist/errors.js:49:3)",
        "node:internal/process/task_queues:95:5",
        "parse (/home/ada/quota/node_modules/zod/index.js:1:2)",
        "Array.map (<anonymous>)",
        "Object.start (file:///home/ada/my%20quota/index.js:8:24)",
        "callTap (file:///opt/hooklet/packages/core/dist/hooks/call-tap.js:54:7)",
      ],
      "/home/ada/my quota/index.js:8:24",
    ],
  ])("names file, line and column of %s", (_, frames, place) => {
    expect(thrownText(thrown("oops", ...frames), OWN)).toBe(`oops (${place})`);
  });

  test("is the message alone where only hooklet and libraries are on the stack, or where there is no stack", () => {
    const own = [
      "run (file:///opt/hooklet/packages/core/dist/a.js:1:2)",
      "x (/opt/node_modules/tapable/lib/Hook.js:3:4)",
    ];
    expect(thrownText(thrown("oops", ...own), OWN)).toBe("oops");
    expect(thrownText("oops", OWN)).toBe("oops");
    expect(thrownText(Object.assign(new Error("oops"), { stack: 3 }), OWN)).toBe("oops");
  });

  test("does not fail where the stack cannot be read", () => {
    const error = new Error("oops");
    Object.defineProperty(error, "stack", {
      get() {
        throw new Error("no");
      },
    });
    expect(thrownText(error, OWN)).toBe("oops");
  });

  test("does not take hooklet's own sources for a plugin", () => {
    expect(thrownText(new Error("oops"))).toBe("oops");
  });
});

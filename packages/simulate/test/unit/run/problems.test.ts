import { describe, expect, test } from "@jest/globals";
import { Problems } from "../../../src/run/problems.js";

function problemsOf(...logged: readonly Parameters<Problems["add"]>[1][]): Problems {
  const problems = new Problems();
  for (const [index, one] of logged.entries()) problems.add(index, one);
  return problems;
}

const tapFailed = (plugin: string, code = "TAP_FAILED") => ({
  msg: `plugin ${plugin}: Plugin "${plugin}" in hook tick 10s failed: boom`,
  err: { code, plugin },
});

describe("an error that the agent logs", () => {
  test.each(["TAP_FAILED", "TAP_TIMEOUT", "TAP_OUTPUT"])(
    "is a fault of the plugin whose tap failed with %s, named once",
    (code) => {
      const problems = problemsOf(tapFailed("boom", code));
      expect(problems.faults()).toEqual([
        {
          path: "plugin boom",
          t: 0,
          what: "the agent logged an error",
          difference: 'Plugin "boom" in hook tick 10s failed: boom',
        },
      ]);
      expect(problems.others()).toEqual([]);
    },
  );

  test("is a fault of the strategy that the line names", () => {
    const msg = 'ranking strategy "./rank.js" failed: boom';
    expect(problemsOf({ msg, strategy: "./rank.js" }).faults()).toMatchObject([
      { path: "strategy ./rank.js", difference: msg },
    ]);
  });

  test.each([
    ["a plugin that hooklet brings, which a runtime that fails can bring to it", tapFailed("@hooklet/plugin-devices")],
    ["no tap", { msg: "step start failed: no", err: { code: "HOST_UNAVAILABLE", plugin: "boom" } }],
    ["no plugin", { msg: "step start failed: no", err: {} }],
  ])("is no fault where it is of %s", (_, logged) => {
    const problems = problemsOf(logged);
    expect(problems.faults()).toEqual([]);
    expect(problems.others()).toEqual([logged.msg]);
  });

  test("is counted where it comes again, from the first time on", () => {
    const problems = problemsOf({ msg: "disk" }, tapFailed("boom"), { msg: "disk" }, tapFailed("boom"));
    expect(problems.faults()).toMatchObject([{ t: 1, what: "the agent logged an error (2 times)" }]);
    expect(problems.others()).toEqual(["disk (2 times)"]);
  });

  test("is left out where a hundred others are kept", () => {
    const problems = problemsOf(...Array.from({ length: 101 }, (_, index) => ({ msg: `error ${index}` })), {
      msg: "error 0",
    });
    expect(problems.others()).toHaveLength(100);
    expect(problems.others()[0]).toBe("error 0 (2 times)");
  });
});

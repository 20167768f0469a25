import { expect, test } from "@jest/globals";
import type { AgentClient } from "../../src/client/agent-client.js";
import { lastLogLinesOverSocket, linesOf } from "../../src/last-log-lines.js";

test.each<[string, readonly string[], readonly string[]]>([
  ["nothing", [], []],
  ["blanks", ["\n \n"], []],
  ["pieces of lines", ["one\ntw", "o\nthree\n\n"], ["two", "three"]],
  ["a line of 400 characters", ["x".repeat(400)], ["x".repeat(400)]],
  ["a longer one", ["x".repeat(401)], [`${"x".repeat(400)}...`]],
  ["what steers a terminal", ["a\u001b[2J"], ["a^[[2J"]],
])("the last two lines of %s", (_name, pieces, expected) => {
  expect(
    linesOf(
      pieces.map((text) => Buffer.from(text)),
      2,
    ),
  ).toEqual(expected);
});

const pod = { name: "web", namespace: "default" };

function asked(fails = false) {
  const calls: unknown[] = [];
  const client = {
    async *logs(...call: unknown[]) {
      calls.push(call);
      yield { stdout: Buffer.from("out\n") };
      yield { position: 1 };
      yield { stderr: Buffer.from("err\n") };
      if (fails) throw new Error("gone");
    },
  };
  return { calls, lines: lastLogLinesOverSocket(client as unknown as AgentClient) };
}

test.each([
  ["current" as const, false],
  ["previous" as const, true],
])("the %s log is read, with room for a stack", async (log, previous) => {
  const { calls, lines } = asked();
  expect(await lines(pod, { container: "main", why: "x", log }, 3)).toEqual(["out", "err"]);
  expect(calls).toEqual([[pod, { container: "main", tail: 43, previous }]]);
});

test("a log that breaks off is shown as far as it came", async () => {
  expect(await asked(true).lines(pod, { container: "main", why: "x", log: "current" }, 3)).toEqual(["out", "err"]);
});

test.each([{ why: "x" }, { why: "x", container: "main" }, { why: "x", log: "current" as const }])(
  "no log is read for %j",
  async (trouble) => {
    const { calls, lines } = asked();
    expect(await lines(pod, trouble, 3)).toEqual([]);
    expect(calls).toEqual([]);
  },
);

import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../src/clock/virtual-clock.js";
import { ContainerFiles } from "../../../src/runtime/files.js";
import { type Exit, SimulatedProcess } from "../../../src/runtime/process.js";
import { builtInPrograms } from "../../../src/runtime/programs.js";

/** What a command does by itself within so many milliseconds, and then on TERM. */
async function run(command: string, milliseconds = 0) {
  const argv = command.split(" ");
  const clock = new VirtualClock();
  let exit: Exit | undefined;
  let out = "";
  let err = "";
  const process = new SimulatedProcess(clock, {
    argv,
    env: { HOME: "/root" },
    workingDir: "/work",
    user: 7,
    files: new ContainerFiles([]),
    output: (stream, text) => {
      if (stream === "stdout") out += text;
      else err += text;
    },
    exited: (how) => {
      exit = how;
    },
  });
  const program = builtInPrograms[argv[0] ?? ""];
  if (typeof program !== "function") throw new Error("expected a program");
  program(process);
  await clock.advance(milliseconds);
  return { code: exit?.code, out, err };
}

test.each([
  ["true", 0, { code: 0 }],
  ["false", 0, { code: 1 }],
  ["exit", 0, { code: 0 }],
  ["exit 3", 0, { code: 3 }],
  ["exit x", 0, { code: 0 }],
  ["exit-after 100 3", 99, {}],
  ["exit-after 100 3", 100, { code: 3 }],
  ["exit-after 100", 100, { code: 0 }],
  ["sleep 2", 1999, {}],
  ["sleep 2", 2000, { code: 0 }],
  ["echo one two", 0, { code: 0, out: "one two\n" }],
  ["echo", 0, { code: 0, out: "\n" }],
  ["echo-after 100 one", 99, {}],
  ["echo-after 100 one", 100, { code: 0, out: "one\n" }],
  ["echo-after 100", 100, { code: 0, out: "\n" }],
  ["echo-error one two", 0, { code: 0, err: "one two\n" }],
  ["until-term", 1000, {}],
  ["ignore-term", 1000, {}],
  ["arguments a bc", 0, { code: 0, out: "<a>\n<bc>\n" }],
  ["printenv HOME", 0, { code: 0, out: "/root\n" }],
  ["printenv GONE", 0, { code: 0, out: "\n" }],
  ["pwd", 0, { code: 0, out: "/work\n" }],
  ["user-id", 0, { code: 0, out: "7\n" }],
  ["cat", 1000, {}],
])("%s, after %i ms", async (command, milliseconds, expected) => {
  expect(await run(command, milliseconds)).toEqual({ out: "", err: "", ...expected });
});

test("a command that no image has is missing", () => {
  expect(builtInPrograms["hooklet-no-such-command"]).toBe("missing");
});

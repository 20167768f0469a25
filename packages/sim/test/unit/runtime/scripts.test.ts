import { expect, test } from "@jest/globals";
import type { SimulatedProgram } from "../../../src/runtime/process.js";
import { builtInPrograms } from "../../../src/runtime/programs.js";
import { type ScriptSubject, Scripts } from "../../../src/runtime/scripts.js";

const subject = (command: readonly string[] = []): ScriptSubject =>
  ({
    config: { metadata: { name: "main" }, image: { userSpecifiedImage: "box:1" }, command },
    sandbox: { metadata: { name: "web", uid: "u" } },
  }) as unknown as ScriptSubject;
const own: SimulatedProgram = () => undefined;
const other: SimulatedProgram = () => undefined;

test.each([
  [{}, true],
  [{ pod: "web" }, true],
  [{ pod: "u" }, true],
  [{ pod: "db" }, false],
  [{ container: "main" }, true],
  [{ container: "side" }, false],
  [{ image: "box:1" }, true],
  [{ image: "box" }, false],
  [{ pod: "web", container: "main", image: "box:1" }, true],
  [{ pod: "web", container: "side", image: "box:1" }, false],
])("a script for %j is about this container: %s", (target, isMeant) => {
  const scripts = new Scripts({});
  scripts.container(target, own);
  scripts.exec(target, own);
  expect(scripts.forContainer(subject()) === own).toBe(isMeant);
  expect(scripts.forExec(subject(), ["x"]) === own).toBe(isMeant);
});

test.each([
  [[], true],
  [["sh"], true],
  [["sh", "-c"], true],
  [["sh", "-x"], false],
  [["sh", "-c", "a", "b"], false],
])("a script for the command %j is about sh -c a: %s", (command, isMeant) => {
  const scripts = new Scripts({});
  scripts.exec({ command }, own);
  expect(scripts.forExec(subject(), ["sh", "-c", "a"]) === own).toBe(isMeant);
});

test("the last script that matches wins, then the programs of the test, then the built-in ones", () => {
  const scripts = new Scripts({ echo: other });
  expect(scripts.forContainer(subject(["echo"]))).toBe(other);
  expect(scripts.forContainer(subject(["true"]))).toBe(builtInPrograms.true);
  expect(scripts.forExec(subject(), ["true"])).toBe(builtInPrograms.true);
  scripts.container({}, own);
  scripts.container({ pod: "db" }, other);
  expect(scripts.forContainer(subject(["echo"]))).toBe(own);
  scripts.container({}, other);
  expect(scripts.forContainer(subject(["true"]))).toBe(other);
});

/** What a program does at once. */
function doing(program: SimulatedProgram | "missing"): readonly unknown[] {
  const calls: unknown[] = [];
  const note =
    (name: string) =>
    (...given: unknown[]): void => {
      calls.push([name, ...given.filter((one) => typeof one !== "function")]);
      for (const one of given) if (typeof one === "function") one();
    };
  const names = ["print", "printError", "exit", "after"];
  if (program !== "missing") program(Object.fromEntries(names.map((name) => [name, note(name)])) as never);
  return calls;
}

test.each([["toString"], [undefined]])(
  "an unknown program (%s) runs until TERM in a container, and ends at once in an exec",
  (word) => {
    const words = word === undefined ? [] : [word];
    expect(doing(new Scripts({}).forContainer(subject(words)))).toEqual([]);
    expect(doing(new Scripts({}).forExec(subject(), words))).toEqual([["exit", 0]]);
  },
);

test("a result is written and ends with its code, after its delay", () => {
  const scripts = new Scripts({});
  scripts.exec({}, {});
  expect(doing(scripts.forExec(subject(), []))).toEqual([
    ["print", ""],
    ["printError", ""],
    ["exit", 0],
  ]);
  scripts.exec({}, { exitCode: 2, stdout: "out", stderr: "err", delay: 5 });
  expect(doing(scripts.forExec(subject(), []))).toEqual([
    ["after", 5],
    ["print", "out"],
    ["printError", "err"],
    ["exit", 2],
  ]);
});

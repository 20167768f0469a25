import { beforeEach, expect, test } from "@jest/globals";
import { VirtualClock } from "../../../src/clock/virtual-clock.js";
import { ContainerFiles } from "../../../src/runtime/files.js";
import { SimulatedProcess } from "../../../src/runtime/process.js";

let clock: VirtualClock;
let log: string[];
let process: SimulatedProcess;
beforeEach(() => {
  clock = new VirtualClock();
  log = [];
  process = new SimulatedProcess(clock, {
    argv: ["serve", "-v"],
    env: { A: "1" },
    workingDir: "/srv",
    user: 1000,
    files: new ContainerFiles([]),
    output: (stream, text) => log.push(`${stream} ${text}`),
    exited: (exit) => log.push(`exit ${JSON.stringify(exit)}`),
  });
});

test("a program sees how it was started", () => {
  const { argv, env, workingDir, user, running } = process;
  expect({ argv, env, workingDir, user, running }).toEqual({
    argv: ["serve", "-v"],
    env: { A: "1" },
    workingDir: "/srv",
    user: 1000,
    running: true,
  });
});

test("what it prints goes to its stream until it has ended, which it does once", async () => {
  process.after(1_000, () => process.print("late"));
  process.print("one");
  process.printError("two");
  process.exit(3, { reason: "OOMKilled", message: "no memory" });
  process.print("three");
  process.printError("four");
  process.exit(0);
  await clock.advance(2_000);
  expect(log).toEqual(["stdout one", "stderr two", 'exit {"code":3,"reason":"OOMKilled","message":"no memory"}']);
  expect([process.running, clock.pending]).toEqual([false, 0]);
});

test("TERM ends it with 143, or calls its handler, or does what its program does without one", () => {
  process.onTerm(() => process.print("bye"));
  process.term();
  expect(log).toEqual(["stdout bye"]);
  process.exit(0);
  process.term();
  expect(log).toHaveLength(2);
});

test.each<[string, (() => void) | undefined, readonly string[]]>([
  ["with 143", undefined, ['exit {"code":143}']],
  ["as its program does", () => log.push("ignored"), ["ignored"]],
])("without a handler TERM ends it %s", (_, unhandled, expected) => {
  process.term(unhandled);
  expect(log).toEqual(expected);
});

test("input reaches it until it has ended", () => {
  process.input(Buffer.from("early"));
  process.onInput((data) => log.push(String(data)));
  process.input(Buffer.from("a"));
  process.input(undefined);
  process.exit(0);
  process.input(Buffer.from("late"));
  expect(log).toEqual(["a", "undefined", 'exit {"code":0}']);
});

test("a file that it wrote has the text; one that is not there ends it with 1 and the reason", () => {
  process.writeFile("/tmp/a", "text");
  expect([process.readFile("/tmp/a"), log]).toEqual(["text", []]);
  expect(process.readFile("/tmp/b")).toBe("");
  expect(log).toEqual(["stderr /tmp/b: No such file or directory\n", 'exit {"code":1}']);
});

import { expect, test } from "@jest/globals";
import { errorLines } from "../../src/last-log-lines.js";

const CRASH = `listening soon
node:events:496
      throw er; // Unhandled 'error' event
      ^

Error: listen EADDRINUSE: address already in use 127.0.0.1:18080
    at Server.setupListenHandle [as _listen2] (node:net:1908:16)
    at node:net:2109:7
Emitted 'error' event on Server instance at:
    at emitErrorNT (node:net:1887:8)
    at process.processTicksAndRejections (node:internal/process/task_queues:82:21) {
  code: 'EADDRINUSE',
  port: 18080
}

Node.js v20.20.2`.split("\n");

test("the only line of a crashed program is the one that names the error", () => {
  expect(errorLines(CRASH, 1)).toEqual(["Error: listen EADDRINUSE: address already in use 127.0.0.1:18080"]);
});

test("of several lines the error's comes first, the frames not at all", () => {
  expect(errorLines(CRASH, 4)).toEqual([
    "Error: listen EADDRINUSE: address already in use 127.0.0.1:18080",
    "  code: 'EADDRINUSE',",
    "  port: 18080",
    "}",
  ]);
  expect(errorLines(CRASH, 6).slice(0, 3)).toEqual([
    "      ^",
    "Error: listen EADDRINUSE: address already in use 127.0.0.1:18080",
    "Emitted 'error' event on Server instance at:",
  ]);
});

test.each([
  { name: "a log without a stack", lines: ["a", "", "Error: x", "b"], count: 2, said: ["Error: x", "b"] },
  { name: "fewer lines than wanted", lines: ["a"], count: 3, said: ["a"] },
  { name: "a stack whose heading is not there any more", lines: ["    at x", "b", "c"], count: 1, said: ["c"] },
  {
    name: "a stack long ago: the last words are",
    lines: ["Error: x", "    at f", ...Array.from({ length: 30 }, (_, n) => `line ${n}`), "fatal: disk full"],
    count: 2,
    said: ["line 29", "fatal: disk full"],
  },
  {
    name: "Java's cause",
    lines: [
      "java.lang.IllegalStateException: no",
      "\tat a.b(C.java:1)",
      "Caused by: java.io.IOException: disk",
      "\tat d.e",
    ],
    count: 1,
    said: ["Caused by: java.io.IOException: disk"],
  },
])("$name", ({ lines, count, said }) => {
  expect(errorLines(lines, count)).toEqual(said);
});

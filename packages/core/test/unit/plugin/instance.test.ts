import { expect, test } from "@jest/globals";
import { startFault } from "../../../src/plugin/instance.js";

test.each([
  {
    name: "with its line where the stack has one",
    stack: "Error: no\n  at start (/p/mine.js:3:7)",
    place: "/p/mine.js:3:7",
  },
  {
    name: "alone where the stack has no line of it",
    stack: "Error: no\n  at /p/mine.js (native)",
    place: "/p/mine.js",
  },
  { name: "alone where it is not on the stack", stack: "Error: no\n  at /p/other.js:3:7", place: "/p/mine.js" },
])("a start that throws names the plugin's file, $name", ({ stack, place }) => {
  const error = Object.assign(new Error("no"), { stack });
  expect(startFault("mine", error, "/p/mine.js").message).toBe(`Plugin "mine" could not be started: no (${place})`);
});

import { expect, test } from "@jest/globals";
import { hangsTogether } from "../../../src/files/mounts.js";

const MOUNTS = ["/", "/data", "/data/inner", "/srv"];

test.each([
  ["a mount point", "/data", "/data"],
  ["what lies on a mount", "/data/a/b", "/data"],
  ["what lies on the innermost of two", "/data/inner/a", "/data/inner"],
  ["a name that begins as a mount's does", "/database", "/database"],
  ["what lies on the root alone", "/home/a", "/home/a"],
])("%s hangs together with that mount, on the root with nothing else", (_name, path, together) => {
  expect(hangsTogether(path, MOUNTS)).toBe(together);
  expect(hangsTogether(path, [...MOUNTS].reverse())).toBe(together);
});

/** Where an agent keeps its files when no place is named. */
import { expect, test } from "@jest/globals";
import { defaultRootDir, podLogsDirOf, USUAL_ROOT_DIR } from "../../../src/config/root-dir.js";

test("the default root dir is the machine's for root and the user's own otherwise", () => {
  expect(defaultRootDir(0, {})).toBe(USUAL_ROOT_DIR);
  expect(defaultRootDir(1000, { HOME: "/home/u" })).toBe("/home/u/.local/state/hooklet");
  expect(defaultRootDir(1000, { HOME: "/home/u", XDG_STATE_HOME: "/s" })).toBe("/s/hooklet");
  expect(defaultRootDir(1000, { HOME: "/home/u", XDG_STATE_HOME: "relative" })).toBe("/home/u/.local/state/hooklet");
});

test.each([
  { name: "the machine's own agent uses the runtime's usual folder", usual: "/var/log/pods", dir: "/var/log/pods" },
  { name: "a runtime without a usual folder logs below the root dir", usual: undefined, dir: "/var/lib/hooklet/logs" },
  {
    name: "an agent with another root dir keeps the runtime's logs below it",
    rootDir: "/tmp/a/root",
    usual: "/var/log/pods",
    dir: "/tmp/a/root/logs",
  },
  {
    name: "a configured folder is the folder",
    rootDir: "/tmp/a/root",
    named: "/logs",
    usual: "/var/log/pods",
    dir: "/logs",
  },
])("$name", ({ rootDir = USUAL_ROOT_DIR, named, usual, dir }) => {
  expect(podLogsDirOf({ rootDir, node: { podLogsDir: named } }, usual)).toBe(dir);
});

import { expect, test } from "@jest/globals";
import { jobOf, type RunOptions, type ScenarioContext } from "../../../src/commands/options.js";

const context = {
  io: { cwd: () => "/work" },
  host: { url: "file:///bin.js", plugins: ["@hooklet/plugin-probe"], rcOfKubelet: () => undefined },
} as unknown as ScenarioContext;
const job = (options: RunOptions = {}) => jobOf(context, "a/b.yaml", options);

test("without options a scenario runs to its own end, with seed 0 and its own settings", async () => {
  expect(await job()).toEqual({
    file: "/work/a/b.yaml",
    host: { url: "file:///bin.js", plugins: ["@hooklet/plugin-probe"] },
    variant: { sets: [] },
    seed: 0,
  });
});

test("what options say goes with it, files from where they were named", async () => {
  const given = await job({ seed: "7", until: "1m30s", config: "rc.yaml", set: ["node.maxPods=5"] });
  expect(given).toMatchObject({
    seed: 7,
    until: 90_000,
    variant: { rcFile: "/work/rc.yaml", sets: [{ path: ["node", "maxPods"], value: 5 }] },
  });
});

test.each([
  ["90s", 90_000],
  ["1.5", 1_500],
  ["90", 90_000],
  ["0.0004", 0],
])("--until %s is %p ms", async (until, milliseconds) => {
  expect((await job({ until })).until).toBe(milliseconds);
});

test.each<[RunOptions, string]>([
  [{ seed: "-1" }, '--seed: expected a whole number from 0, found "-1".'],
  [{ seed: "1x" }, '--seed: expected a whole number from 0, found "1x".'],
  [{ seed: "x1" }, '--seed: expected a whole number from 0, found "x1".'],
  [{ seed: "9007199254740993" }, "--seed: expected a whole number from 0"],
  [{ until: "soon" }, '--until: expected a time such as 90s, 10m or 1h30m, found "soon".'],
  [{ until: "1.5 " }, "--until: expected a time"],
  [{ until: " 1.5" }, "--until: expected a time"],
])("%p is refused", async (options, fault) => {
  await expect(job(options)).rejects.toThrow(fault);
});

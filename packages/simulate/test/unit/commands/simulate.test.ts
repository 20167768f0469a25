import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { type SimulateOptions, simulateCommand } from "../../../src/commands/simulate.js";
import { scenarioFolder, TWO_PODS } from "./scenario-folder.js";

const place = scenarioFolder();
const simulate = (file: string, options: Partial<SimulateOptions> = {}) =>
  place.run((context) => simulateCommand(context, file, { output: "table", ...options }));

beforeAll(async () => {
  await place.write("holds.json", TWO_PODS);
  await place.write("fails.json", { ...TWO_PODS, expect: [{ pod: "b", phase: "Failed" }] });
  await place.write(
    "boom.mjs",
    `export default { meta: { name: "boom", api: 1 }, start({ hooks }) { hooks.tick(10).tap(() => { throw new Error("tick boom"); }); } };`,
  );
  await place.write("boom.json", { ...TWO_PODS, config: { plugins: ["./boom.mjs"] } });
  await place.write(
    "logs.mjs",
    `export default { meta: { name: "logs", api: 1 }, start({ hooks, log }) { hooks.tick(25).tap(() => log.error("the disk is odd")); } };`,
  );
  await place.write("logs.json", { ...TWO_PODS, config: { plugins: ["./logs.mjs"] } });
});

const last = (text: string): string | undefined => text.trimEnd().split("\n").at(-1);

test("a scenario that holds ends with 0: what came of it, the end, the figures, the verdict", async () => {
  const { code, out, err } = await simulate("holds.json");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^20s +a +main exited with 3 \(Error\)$/m);
  expect(out).toMatch(/^a +Running +ready +1 restart$/m);
  expect(out).toMatch(/^restarts +1$/m);
  expect(last(out)).toBe("2 of 2 expectations hold");
  expect(out).not.toContain("phase Running");
});

test("--events has the whole story", async () => {
  expect((await simulate("holds.json", { events: true })).out).toMatch(/^1s +a +phase Running$/m);
});

test("one that does not hold ends with 1, and the table tells each failure once", async () => {
  const { code, out, err } = await simulate("fails.json");
  expect([code, err]).toEqual([1, ""]);
  expect(last(out)).toMatch(/expect\[0\] at 1m0s: pod b: expected phase Failed, found Running$/);
});

test.each(["jsonl", "junit"] as const)("-o %s leaves failures to standard error", async (output) => {
  const { code, out, err } = await simulate("fails.json", { output });
  expect(code).toBe(1);
  expect(err).toMatch(/^fails\.json(:\d+)? expect\[0\] at 1m0s: pod b: expected phase Failed, found Running\n$/);
  if (output === "junit") expect(out).toContain('tests="1" failures="1"');
  else
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).kind),
    ).toContain("pod.phase");
});

test("a plugin's tap that throws ends it with 1, though all expectations hold", async () => {
  const { code, out } = await simulate("boom.json");
  expect(code).toBe(1);
  expect(out).toContain("2 of 2 expectations hold, 1 error of plugins and strategies\n");
  expect(last(out)).toMatch(
    /plugin boom at 10s: the agent logged an error \(6 times\): Plugin "boom" in hook tick 10s failed: tick boom \(.*boom\.mjs:1:\d+\)$/,
  );
});

test("an error that a plugin logs itself is printed once, with its count, and fails nothing", async () => {
  const { code, err } = await simulate("logs.json");
  expect([code, err]).toEqual([0, "the agent logged an error: the disk is odd (2 times)\n"]);
});

test("--until ends it earlier, and checks then what is expected at the end", async () => {
  const { code, out } = await simulate("holds.json", { until: "10s" });
  expect([code, last(out)]).toEqual([1, expect.stringContaining("at 10s: pod a: expected restarts 1, found 0")]);
});

test("--set changes an option: a node of one pod refuses the second", async () => {
  const { code, out } = await simulate("holds.json", { set: ["node.maxPods=1"] });
  expect([code, out]).toEqual([1, expect.stringMatching(/^2s +b +rejected: OutOfpods/m)]);
});

test("--try-restarts tells how many restarts were tried, and that none changes the end", async () => {
  const { code, err } = await simulate("holds.json", { tryRestarts: true, until: "3s", set: [] });
  expect(code).toBe(1);
  expect(err).toMatch(/^\d+ restarts of the agent tried, one a run: none changes the end$/m);
});

test("--report writes a page with the scenario's name, and what failed", async () => {
  await simulate("fails.json", { report: "page.html" });
  const page = await readFile(path.join(place.path, "page.html"), "utf8");
  expect(page).toContain("hooklet simulate fails.json");
  expect(page).toContain("pod b: expected phase Failed, found Running");
});

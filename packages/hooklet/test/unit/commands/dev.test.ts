import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunAgain, ScenarioCommands } from "@hooklet/simulate/commands";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { AgentContext } from "../../../src/agent-context.js";
import { dev } from "../../../src/commands/dev.js";
import { type FakeIo, fakeIo } from "../../binary.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-dev-"));
  await mkdir(path.join(folder, "owners"));
  for (const file of ["owners/index.js", "other.js", "scenario.yaml"]) await writeFile(path.join(folder, file), "");
});

afterEach(() => rm(folder, { recursive: true }));

/** What `dev owners --once` prints where the scenario comes to this; the seconds that it took are cut. */
async function once(found: Partial<RunAgain> | Error, loads = ["owners/index.js"]) {
  const io = fakeIo();
  const run = async () => {
    if (found instanceof Error) throw found;
    const outcome = { loads: loads.map((file) => path.join(folder, file)) };
    return { lines: [], verdict: "2 of 2 expectations hold", holds: true, outcome, ...found } as unknown as RunAgain;
  };
  const context = { io: { ...io, cwd: () => folder } as FakeIo } as unknown as AgentContext;
  const runs = async () => run;
  const scenarios = { runs } as unknown as ScenarioCommands;
  const code = await dev(context, "owners", { scenario: "scenario.yaml", once: true }, scenarios);
  return { code, out: io.stdout.text.replaceAll(/ \(\d+\.\d s\)/g, ""), err: io.stderr.text };
}

test("a scenario that holds is ok, in one line", async () => {
  expect(await once({})).toEqual({ code: 0, out: "ok    scenario.yaml: 2 of 2 expectations hold\n", err: "" });
});

test("one that does not hold fails, with its lines", async () => {
  const { code, out } = await once({ holds: false, verdict: "1 of 2 expectations hold", lines: ["pod lost: Failed"] });
  expect([code, out]).toEqual([1, "FAILS scenario.yaml: 1 of 2 expectations hold\n  pod lost: Failed\n"]);
});

test("one that cannot be run fails with what is wrong", async () => {
  const { code, out, err } = await once(new Error("timeline: expected a list\nfound x"));
  expect([code, out]).toEqual([1, "FAILS scenario.yaml: it cannot be run\n"]);
  expect(err).toContain("  timeline: expected a list\n  found x");
});

test("one that uses no file of the plugin says so: it would be ok whatever the plugin does", async () => {
  const { code, out } = await once({}, ["other.js", "gone.js"]);
  expect([code, out]).toEqual([
    0,
    "ok    scenario.yaml: 2 of 2 expectations hold\n  It uses no file of owners: name it in config.plugins.\n",
  ]);
});

test.each([
  ["nothing", "scenario.yaml", "There is no plugin nothing."],
  ["owners", "nothing.yaml", "There is no scenario nothing.yaml."],
])("dev %s --scenario %s is refused", async (plugin, scenario, says) => {
  const context = { io: { ...fakeIo(), cwd: () => folder } } as unknown as AgentContext;
  await expect(dev(context, plugin, { scenario, once: true }, {} as ScenarioCommands)).rejects.toThrow(says);
});

/** Two hundred damaged scenarios: each is taken, or all its faults are reported with their place. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { inputOf } from "../../../../../fuzz/mutate.js";
import { root } from "../../../../../test/sources.js";
import { parseScenario } from "../../../src/scenario/read.js";
import { ScenarioFaultsError } from "../../../src/values/scenario-faults.js";

const folder = path.join(root, "examples/scenarios");
const seeds = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => readFileSync(path.join(folder, name)));

test("200 scenarios that are damaged give clear errors, and take no time", async () => {
  let refused = 0;
  for (let index = 0; index < 200; index++) {
    const text = inputOf(18, seeds.length + index, seeds).toString("utf8");
    const began = process.cpuUsage();
    try {
      await parseScenario(text, path.join(folder, "damaged.yaml"));
    } catch (error) {
      if (!(error instanceof ScenarioFaultsError)) throw error;
      refused += 1;
      expect(error.message).toMatch(/^The scenario has \d+ faults?; nothing was run\.\n {2}\S/);
      expect(error.message).not.toMatch(/TypeError|ReferenceError|RangeError|\n {4}at /);
      expect(error.faults.length).toBeGreaterThan(0);
    }
    expect(process.cpuUsage(began).user).toBeLessThan(5_000_000);
  }
  expect(refused).toBeGreaterThan(100);
});

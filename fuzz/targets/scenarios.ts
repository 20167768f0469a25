/** Scenarios, with manifests and traces that they hold; nothing is run. */
import path from "node:path";
import { parseScenario, ScenarioFaultsError } from "@hooklet/simulate";
import type { Target } from "../target.js";
import { ROOT, yamlSeeds } from "./seeds.js";

const FILE = path.join(ROOT, "examples/scenarios/fuzzed.yaml");

export const scenarios: Target = {
  name: "scenarios",
  weight: 10,
  cost: { milliseconds: 100, nanosecondsPerByte: 40_000 },
  seeds: () => [
    ...yamlSeeds("examples/scenarios"),
    Buffer.from('until: 1m\ntimeline:\n- {at: 0s, replicas: 3, apply: {file: "../manifests/web.yaml"}}\n'),
  ],
  open: async () => ({
    async run(input) {
      try {
        await parseScenario(input.toString("utf8"), FILE);
        return "accepted";
      } catch (error) {
        if (!(error instanceof ScenarioFaultsError)) throw error;
        const nameless = error.faults.find(
          ({ file, expected, found }) => file === "" || expected === "" || found === "",
        );
        if (nameless !== undefined)
          throw new Error(`a fault that does not say what is wrong: ${JSON.stringify(nameless)}`);
        return "refused";
      }
    },
    close: async () => {},
  }),
};

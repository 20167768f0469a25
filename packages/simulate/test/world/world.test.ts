import { VirtualClock } from "@hooklet/testkit/simulation";
import { expect, test } from "@jest/globals";
import { ScenarioLogind } from "../../src/world/logind.js";
import { simulatedWorld } from "../../src/world/world.js";

const parts = {
  probes: async () => ({ result: "success", output: "" }) as const,
  devicePlugins: { serve: () => () => undefined },
  logind: new ScenarioLogind(new VirtualClock(), () => undefined),
};

test("a plugin finds what it asks for by name", () => {
  const world = simulatedWorld(parts);
  expect(world.part("probes")).toBe(parts.probes);
  expect(world.part("devicePlugins")).toBe(parts.devicePlugins);
});

test.each(["network", "toString", ""])("one that asks for %j hears what there is", (name) => {
  const ask = (): unknown => simulatedWorld(parts).part(name);
  const message = `This simulation has no "${name}". It has probes, devicePlugins, logind.`;
  expect(ask).toThrow(expect.objectContaining({ code: "UNSUPPORTED", message }));
});

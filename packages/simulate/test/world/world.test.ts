import { expect, test } from "@jest/globals";
import { simulatedWorld } from "../../src/world/world.js";

const parts = {
  probes: async () => ({ result: "success", output: "" }) as const,
  devicePlugins: { serve: () => () => undefined },
};

test("a plugin finds what it asks for by name", () => {
  const world = simulatedWorld(parts);
  expect(world.part("probes")).toBe(parts.probes);
  expect(world.part("devicePlugins")).toBe(parts.devicePlugins);
});

test.each(["network", "toString", ""])("one that asks for %j hears what there is", (name) => {
  const ask = (): unknown => simulatedWorld(parts).part(name);
  const message = `This simulation has no "${name}". It has probes, devicePlugins.`;
  expect(ask).toThrow(expect.objectContaining({ code: "UNSUPPORTED", message }));
});

/** Keys that would reach into every object of the process, in scenarios and traces. */
import { expect, test } from "@jest/globals";
import { parseScenario } from "../../../src/scenario/read.js";

test.each([
  '{ "__proto__": { "polluted": 1 } }',
  '{ "constructor": { "prototype": { "polluted": 1 } } }',
  '{ "node": { "__proto__": { "polluted": 1 } }, "timeline": [] }',
  '{ "timeline": [{ "at": "1s", "__proto__": { "polluted": 1 } }] }',
])("a scenario with %s is refused, and nothing else has its keys", async (text) => {
  await expect(parseScenario(text, "scenario.json")).rejects.toThrow(/__proto__|constructor/);
  await expect(parseScenario(text, "scenario.yaml")).rejects.toThrow(/__proto__|constructor/);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("aliases within aliases end the reading of a scenario", async () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let depth = 1; depth < 12; depth++) lines.push(`a${depth}: &a${depth} [${`*a${depth - 1},`.repeat(9)}]`);
  await expect(parseScenario(lines.join("\n"), "scenario.yaml")).rejects.toThrow();
});

import { expect, test } from "@jest/globals";
import { fakeIo } from "../../../../cli/test/cli.js";
import { tellWaiting } from "../../../src/commands/waiting.js";

const told = async (isTTY: boolean, ...given: readonly [readonly string[], number?]): Promise<readonly string[]> => {
  const io = fakeIo();
  Object.assign(io.stderr, { isTTY });
  await tellWaiting({ io }, ...given);
  return [io.stdout.text, io.stderr.text];
};

test.each<{ name: string; given: readonly [readonly string[], number?]; says: string }>([
  { name: "one run of one scenario", given: [["a.yaml"]], says: "Simulating a.yaml ...\n" },
  { name: "several runs of one scenario", given: [["a.yaml"], 3], says: "Simulating a.yaml, 3 runs ...\n" },
  { name: "several scenarios", given: [["a.yaml", "b.yaml"], 4], says: "Simulating 2 scenarios, 4 runs ...\n" },
])("a terminal is told of $name, on standard error", async ({ given, says }) => {
  expect(await told(true, ...given)).toEqual(["", says]);
});

test("what is no terminal is told nothing", async () => {
  expect(await told(false, ["a.yaml"])).toEqual(["", ""]);
});

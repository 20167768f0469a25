/** Commands that ask about a scenario: explain, plan, check; and the files that they name. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { checkScenarios, explainScenario, planInScenario } from "../../../src/commands/in-scenario.js";
import { scenarioFiles } from "../../../src/config/scenario-config.js";
import { scenarioFolder, TWO_PODS } from "../commands/scenario-folder.js";

const place = scenarioFolder();

beforeAll(async () => {
  await place.write("s.json", { ...TWO_PODS, node: { pods: 1 } });
  await place.write("bad.json", { timeline: 5 });
  await place.write("unknown.json", { ...TWO_PODS, config: { node: { maxPodz: 1 } } });
  await place.write(
    "planner.mjs",
    `export default { meta: { name: "planner", api: 1 }, start: ({ clock }) => ({ plan: async ({ arguments: given }) => [{ at: clock.now(), plugin: "planner", strategy: "s", subject: "node", considered: [], outcome: "would do " + given.what }] }) };`,
  );
  await place.write("plan.json", { ...TWO_PODS, config: { plugins: ["./planner.mjs"] } });
  await mkdir(path.join(place.path, "folder/deeper"), { recursive: true });
  for (const name of ["b.yaml", "a.json", "c.yml", "note.txt"])
    await writeFile(path.join(place.path, "folder", name), "");
  await mkdir(path.join(place.path, "none"));
});

describe("explain", () => {
  const explain = (name: string, more: object = {}) =>
    place.run((context) => explainScenario(context, "pod", name, { scenario: "s.json", ...more }));

  test("prints the decisions about a pod", async () => {
    const { code, out } = await explain("b");
    expect([code, out]).toEqual([0, expect.stringContaining("rejected: OutOfpods")]);
  });

  test("as JSON has them as a list", async () => {
    const all = JSON.parse((await explain("b", { output: "json" })).out);
    expect(all).toContainEqual(
      expect.objectContaining({ subject: "pod/default/b", outcome: expect.stringContaining("OutOfpods") }),
    );
  });

  test("says until when there are none", async () => {
    const err = "No decisions about pod nothing until 0.5s of s.json.\n";
    expect(await explain("nothing", { at: "500ms" })).toEqual({ code: 0, out: "", err });
  });
});

test("plan asks the plugin on the scenario's node, at a time or at its end", async () => {
  const question = { plugin: "planner", arguments: { what: "nothing" } };
  const planned = (at?: string) =>
    planInScenario(place.context(), question as never, { scenario: "plan.json", ...(at === undefined ? {} : { at }) });
  const [late, early] = [await planned(), await planned("10s")];
  expect(late).toEqual([expect.objectContaining({ plugin: "planner", outcome: "would do nothing" })]);
  expect(Number(late[0]?.at) - Number(early[0]?.at)).toBe(50_000);
});

test("check reads all scenarios, and ends with 1 where one has a fault", async () => {
  const checked = (...files: string[]) => place.run((context) => checkScenarios(context, files));
  expect(await checked("s.json")).toEqual({ code: 0, out: "s.json: well formed: 3 steps, 2 expectations\n", err: "" });
  const { code, out, err } = await checked("bad.json", "s.json", "unknown.json");
  expect([code, out]).toEqual([1, "s.json: well formed: 3 steps, 2 expectations\n"]);
  expect(err).toMatch(/bad\.json.*timeline/s);
  expect(err).toMatch(/maxPodz/);
});

describe("scenario files", () => {
  const found = async (...names: string[]) =>
    (await scenarioFiles(place.path, names)).map(({ name, file }) => [name, path.relative(place.path, file)]);

  test("are those that are named, and all of a folder by name, not of folders in it", async () => {
    expect(await found("s.json", "folder")).toEqual([
      ["s.json", "s.json"],
      ["a.json", "folder/a.json"],
      ["b.yaml", "folder/b.yaml"],
      ["c.yml", "folder/c.yml"],
    ]);
  });

  test.each([
    ["nothing.yaml", "Cannot read the scenario nothing.yaml: ENOENT"],
    ["none", "The directory none has no scenario (*.yaml, *.yml, *.json)."],
  ])("%s is refused", async (name, says) => {
    await expect(found(name)).rejects.toThrow(says);
  });
});

import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { compare } from "../../../src/commands/compare.js";
import type { CompareOptions } from "../../../src/commands/outcome.js";
import { scenarioFolder, TWO_PODS } from "./scenario-folder.js";

const place = scenarioFolder();
const compared = (files: string, options: CompareOptions) =>
  place.run((context) => compare(context, files.split(" "), options));
const ONE_OR_TWO = ["node.maxPods=1", "node.maxPods=2"];

beforeAll(async () => {
  await place.write("s.json", TWO_PODS);
  await place.write("same.json", { ...TWO_PODS, timeline: TWO_PODS.timeline.slice(0, 1), expect: [] });
  await place.write(
    "broken.mjs",
    `export default { meta: { name: "broken", api: 1 }, start({ hooks }) { hooks.podTerminate.tap(() => {}); hooks.tick(30).tap(() => { throw new Error("boom"); }); } };`,
  );
  await place.write("one.json", { node: { maxPods: 1 } });
  await place.write("boom.json", { plugins: ["./broken.mjs"] });
});

describe("one scenario", () => {
  test("has a column for each value, its differences marked, where they part, and what fails where", async () => {
    const { code, out } = await compared("s.json", { set: ONE_OR_TWO });
    expect(code).toBe(0);
    expect(out).toMatch(/^FIGURE +maxPods=1 +maxPods=2/m);
    expect(out).toMatch(/^pods rejected +1 +0 +differs$/m);
    expect(out).toMatch(/^restarts +1 +1$/m);
    expect(out).toMatch(/^maxPods=1 and maxPods=2 differ from 2s on:\n {2}maxPods=1: b rejected: OutOfpods.*\n/m);
    expect(out).toMatch(/^maxPods=1: s\.json(:\d+)? expect\[1\] at 1m0s: pod b: expected phase Running, found Failed/m);
    expect(out).not.toMatch(/^maxPods=2: s\.json/m);
  });

  test("with one setting alone is compared as it is", async () => {
    const { out } = await compared("s.json", { set: ["node.maxPods=50"] });
    expect(out).toMatch(/^FIGURE +as it is +maxPods=50/m);
    expect(out).toContain("as it is and maxPods=50 go the same way");
    expect(out).not.toContain("differs");
  });

  test("with an rc file has that one's settings", async () => {
    expect((await compared("s.json", { with: ["one.json"] })).out).toMatch(/^pods rejected +0 +1 +differs$/m);
  });

  test("where a plugin's tap throws ends with 1", async () => {
    const { code, out } = await compared("s.json", { with: ["boom.json"] });
    expect(code).toBe(1);
    expect(out).toMatch(/^errors of plugins and strategies +0 +1 +differs$/m);
    expect(out).toMatch(/^boom\.json: s\.json plugin broken at 30s: the agent logged an error \(2 times\): .*boom/m);
  });

  test("as JSON has runs with figures and failures, and where they part", async () => {
    const { out } = await compared("s.json", { set: ONE_OR_TWO, output: "json" });
    const [only] = JSON.parse(out);
    expect(only).toMatchObject({ scenario: "s.json", runs: [{ name: "maxPods=1" }, { name: "maxPods=2" }] });
    expect(only.runs.map(({ failures }: { failures: object[] }) => failures.length)).toEqual([1, 0]);
    expect(only.partings).toEqual([expect.objectContaining({ with: "maxPods=2", t: 2 })]);
  });

  test("has a page that names both runs", async () => {
    await compared("s.json", { set: ONE_OR_TWO, report: "page.html" });
    const page = await readFile(path.join(place.path, "page.html"), "utf8");
    for (const text of ["hooklet compare", "two pods", "maxPods=1", "differ from 2s on"]) expect(page).toContain(text);
  });

  test("may end earlier, before they part", async () => {
    const { out } = await compared("s.json", { set: ONE_OR_TWO, until: "1.5s" });
    expect(out).toContain("maxPods=1 and maxPods=2 go the same way");
  });
});

test("several scenarios are in one table, of what differs, each with its own parting", async () => {
  const { out } = await compared("s.json same.json", { set: ONE_OR_TWO });
  expect(out).toMatch(/^SCENARIO +FIGURE +maxPods=1 +maxPods=2/m);
  expect(out).toMatch(/^same\.json +no figure differs/m);
  expect(out).not.toMatch(/^s\.json +restarts/m);
  expect(out).toMatch(/^s\.json:\nmaxPods=1 and maxPods=2 differ from 2s on/m);
  expect(out).toMatch(/^same\.json:\nmaxPods=1 and maxPods=2 go the same way/m);
});

test.each<[string, CompareOptions, string]>([
  ["nothing to compare with", {}, "compare: nothing to compare with. Add --set PATH=VALUE or --with RCFILE"],
  ["a figure without a sweep", { minimise: "pulls" }, "--minimise and --maximise: expected --sweep"],
  ["the other one without a sweep", { maximise: "pulls" }, "--minimise and --maximise: expected --sweep"],
  ["a setting that is none", { set: ["x"] }, "--set: expected PATH=VALUE such as plugins.imagegc.order=lru"],
])("%s is refused", async (_name, options, says) => {
  await expect(compared("s.json", options)).rejects.toThrow(says);
});

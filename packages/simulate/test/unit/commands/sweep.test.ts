import { beforeAll, describe, expect, test } from "@jest/globals";
import { compare } from "../../../src/commands/compare.js";
import type { CompareOptions } from "../../../src/commands/outcome.js";
import { scenarioFolder, TWO_PODS } from "./scenario-folder.js";

const place = scenarioFolder();
const swept = (files: string, options: CompareOptions) =>
  place.run((context) => compare(context, files.split(" "), { sweep: "node.maxPods=1..3", ...options }));
const last = (text: string): string | undefined => text.trimEnd().split("\n").at(-1);

beforeAll(async () => {
  await place.write("s.json", { ...TWO_PODS, expect: [] });
  await place.write("expects.json", TWO_PODS);
  await place.write(
    "boom.mjs",
    `export default { meta: { name: "boom", api: 1 }, start({ hooks }) { hooks.tick(50).tap(() => { throw new Error("boom"); }); } };`,
  );
  await place.write("boom.json", { ...TWO_PODS, expect: [], config: { plugins: ["./boom.mjs"] } });
});

describe("a sweep", () => {
  test("has a row for each value, what changes beside the figure, and the best value", async () => {
    const { code, out } = await swept("s.json", { minimise: "containers-started" });
    expect(code).toBe(0);
    expect(out).toMatch(/^maxPods +containers started +pods running +pods failed +pods rejected$/m);
    expect(out).toMatch(/^1 +1 .*best$/m);
    expect(out).toMatch(/^3 +2 /m);
    expect(out.match(/best/g)).toHaveLength(1);
    expect(last(out)).toBe("node.maxPods=1: fewest containers started, 1");
  });

  test("looks for the most as well; of equals the first is best", async () => {
    expect(last((await swept("s.json", { maximise: "containers started" })).out)).toBe(
      "node.maxPods=2: most containers started, 2",
    );
  });

  test("passes over a value where more of what is expected fails, and says so", async () => {
    expect(last((await swept("expects.json", { minimise: "containers-started" })).out)).toBe(
      "node.maxPods=2: fewest containers started, 2; not 1 with 1: more of what is expected fails there",
    );
  });

  test("adds up over several scenarios; of times it takes the longest", async () => {
    const sum = JSON.parse((await swept("s.json expects.json", { minimise: "pulls", output: "json" })).out);
    const one = JSON.parse((await swept("s.json", { minimise: "pulls", output: "json" })).out);
    const figures = (all: typeof sum, index: number) => all.points[index].figures;
    expect(figures(sum, 1)["containers started"]).toBe(2 * figures(one, 1)["containers started"]);
    expect(figures(sum, 1)["ready p99"]).toBe(figures(one, 1)["ready p99"]);
    expect(figures(sum, 0)["expectations that fail"]).toBe(1);
  });

  test("goes on where a value is refused, and says why; as JSON too", async () => {
    const options = { sweep: "node.maxPods=many,2", minimise: "pulls" };
    expect((await swept("s.json", options)).out).toMatch(/^many is refused: .*node\.maxPods: expected .*"many"/m);
    const { points, refused, best, figure, path } = JSON.parse(
      (await swept("s.json", { ...options, output: "json" })).out,
    );
    expect([points.length, refused.length, best, figure, path]).toEqual([1, 1, "2", "pulls", "node.maxPods"]);
  });

  test("fails with the first fault where each value is refused", async () => {
    await expect(swept("s.json", { sweep: "node.maxPods=many,more", minimise: "pulls" })).rejects.toThrow('"many"');
  });

  test("ends with 1 where a plugin's tap throws, and names it for each value", async () => {
    const { code, out } = await swept("boom.json", { minimise: "pulls" });
    expect(code).toBe(1);
    expect(out.match(/^\d: boom\.json plugin boom at 50s: the agent logged an error: .*boom/gm)).toHaveLength(3);
    expect((await swept("boom.json", { minimise: "pulls", output: "json" })).code).toBe(1);
  });

  test("keeps what --set says for each value, and ends where --until says", async () => {
    const { out } = await swept("s.json", {
      set: ["node.maxPods=9"],
      sweep: "port=0,1",
      minimise: "pulls",
      until: "1.5s",
    });
    expect(last(out)).toBe("port=0: fewest pulls, 1");
  });

  test("without a value that gives the figure says so", async () => {
    expect(last((await swept("s.json", { minimise: "ready-p50", until: "0" })).out)).toBe(
      'no value of node.maxPods gives a figure "ready p50"',
    );
  });
});

test.each<[CompareOptions, string]>([
  [{}, "--sweep: expected --minimise FIGURE or --maximise FIGURE beside it"],
  [{ minimise: "pulls", maximise: "pulls" }, "--sweep: expected --minimise FIGURE or --maximise FIGURE beside it"],
  [{ minimise: "pulls", with: ["x"] }, "--sweep: expected neither --with nor --report beside it, found --with."],
  [{ minimise: "pulls", with: ["x"], report: "y" }, "found --with and --report."],
  [{ minimise: "xyzzy" }, "--minimise: expected a figure (pods-running, "],
  [{ maximise: "restart" }, '--maximise: expected a figure, found "restart". Did you mean "restarts"?'],
])("%j is refused", async (options, says) => {
  await expect(swept("s.json", options)).rejects.toThrow(says);
});

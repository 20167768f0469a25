import { describe, expect, test } from "@jest/globals";
import { partingOf, Way } from "../../src/compare/parting.js";
import { bestOf, figureNamed, parseSweep, tradeOff } from "../../src/compare/sweep.js";
import { differingRows, figureCells, partingText } from "../../src/compare/table.js";
import { variantsOf } from "../../src/compare/variants.js";
import { parseSet } from "../../src/config/sets.js";
import type { SimulationRecord } from "../../src/records/record.js";

const named = (rcFiles: readonly string[], ...sets: readonly string[]) =>
  variantsOf(
    rcFiles,
    sets.map((text) => parseSet(text)),
  ).map(({ name, variant }) => [name, variant.rcFile, variant.sets?.map(({ text }) => text)]);

describe("variants", () => {
  test("each rc file is one", () => {
    expect(named(["/x/a.yaml", "/y/b.yaml"]).map(([name]) => name)).toEqual(["a.yaml", "b.yaml"]);
  });

  test("an option with several values gives one for each", () => {
    expect(named([], "node.maxPods=1", "node.maxPods=2").map(([name]) => name)).toEqual(["maxPods=1", "maxPods=2"]);
  });

  test("several such options give all combinations, and what is set once holds for all", () => {
    const all = named([], "a.x=1", "a.x=2", "b.y=3", "b.y=4", "c.z=5");
    expect(all.map(([name]) => name)).toEqual(["x=1 y=3", "x=1 y=4", "x=2 y=3", "x=2 y=4"]);
    expect(all[0]?.[2]).toEqual(["c.z=5", "a.x=1", "b.y=3"]);
  });

  test("one alone is compared with the scenario as it is", () => {
    expect(named([], "node.maxPods=1").map(([name]) => name)).toEqual(["as it is", "maxPods=1"]);
    expect(named(["/x/a.yaml"]).map(([name]) => name)).toEqual(["as it is", "a.yaml"]);
  });

  test("two of one name are told apart", () => {
    expect(named(["/x/a.yaml", "/y/a.yaml"]).map(([name]) => name)).toEqual(["a.yaml", "a.yaml (2)"]);
  });
});

describe("where two runs part", () => {
  const started = (t: number, pod: string): SimulationRecord => ({ t, kind: "pod.admitted", pod });
  const decided = (t: number, strategy: string, outcome: string): SimulationRecord => ({
    t,
    kind: "decision",
    plugin: "p",
    strategy,
    subject: "image/a",
    considered: [],
    outcome,
  });
  const way = (...records: readonly SimulationRecord[]): Way => {
    const made = new Way();
    for (const record of records) made.add(record);
    return made;
  };

  test("how a strategy words its decisions is no difference", () => {
    expect(
      partingOf(way(decided(1, "x", "so"), started(1, "a")), way(decided(1, "y", "thus"), started(1, "a"))),
    ).toBeUndefined();
  });

  test("the first thing that is not the same is named on both sides, with what had been decided", () => {
    const [a, b] = [
      way(started(1, "a"), decided(5, "x", "b goes"), started(5, "b")),
      way(started(1, "a"), started(6, "c")),
    ];
    const parting = partingOf(a, b);
    expect(parting?.t).toBe(5);
    expect(partingText(["A", "B"], [a, b], parting)).toBe(
      "A and B part at 5s:\n  A: b admitted\n    decided: image/a: b goes\n  B: nothing until 6s",
    );
  });

  test("one that goes on where the other has ended parts there", () => {
    const parting = partingOf(way(started(1, "a")), way(started(1, "a"), started(2, "b")));
    expect(parting).toMatchObject({ t: 2, first: undefined });
  });
});

describe("tables", () => {
  const compared = {
    scenario: "s.yaml",
    runs: [
      { name: "A", figures: { pulls: 1, restarts: 0, "bytes pulled": 2 ** 30 } },
      { name: "B", figures: { pulls: 2, restarts: 0, "bytes pulled": 2 ** 30 } },
    ],
  };

  test("figures that are 0 everywhere are left out, those that differ are marked", () => {
    expect(figureCells(compared)).toEqual([
      ["pulls", "1", "2", "differs"],
      ["bytes pulled", "1Gi", "1Gi", ""],
    ]);
  });

  test("of several scenarios only what differs is shown", () => {
    const same = { scenario: "t.yaml", runs: compared.runs.map(({ name }) => ({ name, figures: {} })) };
    expect(differingRows([compared, same])).toEqual([
      ["s.yaml", "pulls", "1", "2"],
      ["t.yaml", "no figure differs", "", ""],
    ]);
  });
});

describe("sweeps", () => {
  test.each([
    ["a.b=70..95:5", ["70", "75", "80", "85", "90", "95"]],
    ["a.b=0..1:0.25", ["0", "0.25", "0.5", "0.75", "1"]],
    ["a.b=1..3", ["1", "2", "3"]],
    ["a.b=lru,largest-first", ["lru", "largest-first"]],
  ])("%s", (text, values) => {
    expect(parseSweep(text)).toEqual({ path: "a.b", values });
  });

  test.each(["a.b", "a.b=", "a.b=5..1", "a.b=1..2:0", "a.b=1..9999", "=1..2", "a.b=x..y", "a.b=lru"])(
    "%s is none",
    (text) => {
      expect(() => parseSweep(text)).toThrow(/--sweep: expected PATH=FROM\.\.TO:STEP/);
    },
  );

  const points = [
    { value: "1", figures: { pulls: 3, "expectations that fail": 0 } },
    { value: "2", figures: { pulls: 1, "expectations that fail": 1 } },
    { value: "3", figures: { pulls: 2, "expectations that fail": 0 } },
    { value: "4", figures: {} },
  ];

  test("what fails fewer expectations is better, then the figure counts", () => {
    expect(bestOf(points, "pulls", true)?.value).toBe("3");
    expect(bestOf(points, "pulls", false)?.value).toBe("1");
    expect(bestOf([{ value: "1", figures: {} }], "pulls", true)).toBeUndefined();
  });

  test("the trade-off has the wanted figure first, and what changes with it", () => {
    expect(tradeOff(points, "pulls")).toEqual(["pulls", "expectations that fail"]);
  });

  test("figures are named as people type them", () => {
    expect(figureNamed("Bytes-Removed", ["pulls", "bytes removed"], "--minimise")).toBe("bytes removed");
    expect(() => figureNamed("pull", ["pulls"], "--minimise")).toThrow(/Did you mean "pulls"\?/);
  });
});

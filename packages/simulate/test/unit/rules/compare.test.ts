import { describe, expect, test } from "@jest/globals";
import { partingOf, Way } from "../../../src/compare/parting.js";
import { bestOf, figureNamed, parseSweep, passedOver, tradeOff } from "../../../src/compare/sweep.js";
import { differingRows, figureCells, partingText } from "../../../src/compare/table.js";
import { variantsOf } from "../../../src/compare/variants.js";
import { parseSet } from "../../../src/config/sets.js";
import type { SimulationRecord } from "../../../src/records/record.js";

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

  test("two of one name get different names", () => {
    expect(named(["/x/a.yaml", "/y/a.yaml"]).map(([name]) => name)).toEqual(["a.yaml", "a.yaml (2)"]);
    expect(named([], "a.x=1", "a.x=2", "a.x=1").map(([name]) => name)).toEqual(["x=1", "x=2", "x=1 (2)"]);
  });

  test.each([
    {
      name: "nothing is compared with itself",
      of: () => named([]),
      is: [
        ["as it is", undefined, undefined],
        ["", undefined, []],
      ],
    },
    {
      name: "what is set once holds for all of several files",
      of: () => named(["/x/a.yaml", "b.yaml"], "c.z=5"),
      is: [
        ["a.yaml", "/x/a.yaml", ["c.z=5"]],
        ["b.yaml", "b.yaml", ["c.z=5"]],
      ],
    },
    {
      name: "each file comes with each value",
      of: () => named(["a.yaml", "b.yaml"], "c.z=5", "c.z=6"),
      is: [
        ["a.yaml z=5", "a.yaml", ["c.z=5"]],
        ["a.yaml z=6", "a.yaml", ["c.z=6"]],
        ["b.yaml z=5", "b.yaml", ["c.z=5"]],
        ["b.yaml z=6", "b.yaml", ["c.z=6"]],
      ],
    },
    {
      name: "one file with one value is compared with the scenario as it is",
      of: () => named(["a.yaml"], "c.z=5"),
      is: [
        ["as it is", undefined, undefined],
        ["a.yaml z=5", "a.yaml", ["c.z=5"]],
      ],
    },
    {
      name: "several that are set once are one",
      of: () => named([], "a.x=1", "c.z=5"),
      is: [
        ["as it is", undefined, undefined],
        ["x=1 z=5", undefined, ["a.x=1", "c.z=5"]],
      ],
    },
    {
      name: "options of one last word are two, and a value may hold another =",
      of: () => named([], "a.x=1=2", "b.x=3", "b.x=4"),
      is: [
        ["x=3", undefined, ["a.x=1=2", "b.x=3"]],
        ["x=4", undefined, ["a.x=1=2", "b.x=4"]],
      ],
    },
  ])("$name", ({ of, is }) => {
    expect(of()).toEqual(is);
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
      "A and B differ from 5s on:\n  A: b admitted\n    decided: image/a: b goes\n  B: nothing until 6s",
    );
  });

  test("one that goes on where the other has ended parts there", () => {
    const [short, long] = [way(started(1, "a")), way(started(1, "a"), started(2, "b"))];
    expect(partingOf(short, long)).toMatchObject({ t: 2, first: undefined, second: { t: 2, text: "b admitted" } });
    expect(partingOf(long, short)).toMatchObject({ t: 2, first: { t: 2 }, second: undefined });
    expect(partingText(["A", "B"], [short, long], partingOf(short, long))).toBe(
      "A and B differ from 2s on:\n  A: nothing more happens\n  B: b admitted",
    );
  });

  test("the same at another moment is not the same, nor another thing at one moment", () => {
    expect(partingOf(way(started(1, "a")), way(started(3, "a")))?.t).toBe(1);
    expect(partingOf(way(started(1, "a")), way(started(1, "b")))?.t).toBe(1);
  });

  test("two that go one way do not part", () => {
    const both: [Way, Way] = [way(started(1, "a")), way(started(1, "a"))];
    expect(partingText(["A", "B"], both, partingOf(...both))).toBe("A and B go the same way");
  });

  test("events, what is written into cgroups, and probes that succeed make no difference; one that fails does", () => {
    const probe = (result: string): SimulationRecord => ({
      t: 1,
      kind: "probe.result",
      pod: "a",
      container: "m",
      type: "liveness",
      result,
    });
    const quiet: readonly SimulationRecord[] = [
      { t: 1, kind: "event", type: "Normal", reason: "R", message: "m", object: "node/n", count: 1 },
      { t: 1, kind: "cgroup.written", path: "/a", value: "1" },
      probe("success"),
    ];
    expect(way(...quiet).milestones).toEqual([]);
    expect(way(probe("failure")).milestones).toEqual([{ t: 1, text: "a m liveness probe: failure" }]);
  });

  test("of what was decided there five are shown, and how many more", () => {
    const many = way(...[1, 2, 3, 4, 5, 6, 7].map((n) => decided(5, "x", `${n} `)), started(5, "b"));
    const five = way(...[1, 2, 3, 4, 5].map((n) => decided(5, "x", `${n}`)), started(5, "c"));
    expect(partingText(["A", "B"], [many, five], partingOf(many, five)).split("\n").slice(1)).toEqual([
      "  A: b admitted",
      ...[1, 2, 3, 4, 5].map((n) => `    decided: image/a: ${n}`),
      "    and 2 more decisions",
      "  B: c admitted",
      ...[1, 2, 3, 4, 5].map((n) => `    decided: image/a: ${n}`),
    ]);
    expect(many.decisionsAt(4)).toEqual([]);
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

  test("a figure that one alone has differs; that it is not there and that it is 0 does not", () => {
    const runs = (...figures: readonly Readonly<Record<string, number | undefined>>[]) => ({
      scenario: "s.yaml",
      runs: figures.map((one, index) => ({ name: String(index), figures: one })),
    });
    expect(figureCells(runs({ pulls: 1 }, {}))).toEqual([["pulls", "1", "0", "differs"]]);
    expect(figureCells(runs({ pulls: 0 }, {}))).toEqual([]);
    expect(figureCells(runs({ "ready p50": undefined }, { "ready p50": 60 }))).toEqual([
      ["ready p50", "-", "1m0s", "differs"],
    ]);
    const two = runs({ pulls: 1, restarts: 2 }, { pulls: 2, restarts: 1 });
    expect(differingRows([two])).toEqual([
      ["s.yaml", "pulls", "1", "2"],
      ["", "restarts", "2", "1"],
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
    ["a.b=1..1", ["1"]],
    ["a.b=10.25..10.75:0.25", ["10.25", "10.5", "10.75"]],
    ["a.b=10..30:10", ["10", "20", "30"]],
    ["a.b=-1.5..0.5:0.5", ["-1.5", "-1", "-0.5", "0", "0.5"]],
    ["a.b=0..0.3:0.1", ["0", "0.1", "0.2", "0.3"]],
    ["a.b=1..10:4.5", ["1", "5.5", "10"]],
    ["a.b=1..9:5", ["1", "6"]],
    ["a.b=x=1,y", ["x=1", "y"]],
    ["a.b=1m..10m:3m", ["1m", "4m", "7m", "10m"]],
    ["a.b=30s..2m:30s", ["30s", "60s", "90s", "120s"]],
    ["a.b=1h..2h", ["1h", "2h"]],
    ["a.b=512Mi..2Gi:512Mi", ["512Mi", "1024Mi", "1536Mi", "2048Mi"]],
    ["a.b=5%..15%:5%", ["5%", "10%", "15%"]],
    ["a.b=250m..750m:250m", ["250m", "500m", "750m"]],
  ])("%s", (text, values) => {
    expect(parseSweep(text)).toEqual({ path: "a.b", values });
  });

  test.each([
    "a.b",
    "a.b=",
    "a.b=5..1",
    "a.b=1..2:0",
    "a.b=1..9999",
    "=1..2",
    "a.b=x..y",
    "a.b=lru",
    "a.b=1..1001",
    "a.b=1..2,3",
    "a.b=x1..2",
    "a.b=1..2x",
    "a.b=1..2:-1",
    "a.b=1m..2Gi:1m",
    "a.b=5%..15",
    "a.b=1m..2m:0s",
  ])("%s is none", (text) => {
    expect(() => parseSweep(text)).toThrow(/--sweep: expected PATH=FROM\.\.TO:STEP/);
  });

  test("too many values are refused, one less is not", () => {
    expect(parseSweep("a.b=1..1000").values).toHaveLength(1000);
    expect(() => parseSweep("a.b=0..1000")).toThrow(/at most 1000 values, or PATH=A,B,C, found "a\.b=0\.\.1000"\./);
  });

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

  test("a value that is better in the figure alone is shown, with why it is not the best one", () => {
    const best = { value: "3", figures: { pulls: 2 } };
    expect(passedOver(points, best, "pulls", true)).toBe("; not 2 with 1: more of what is expected fails there");
    expect(passedOver(points, best, "pulls", false)).toBe("; not 1 with 3: more of what is expected fails there");
    expect(passedOver([best, { value: "4", figures: {} }], best, "pulls", true)).toBe("");
  });

  test("of equals the first is best; where nothing is expected the figure alone counts", () => {
    const [a, b, c] = [5, 5, 4].map((pulls, index) => ({ value: String(index), figures: { pulls } }));
    const all = [a, b, c] as { value: string; figures: { pulls: number } }[];
    expect([bestOf(all, "pulls", true), bestOf(all, "pulls", false)]).toEqual([c, a]);
    const failing = { value: "x", figures: { pulls: 1, "expectations that fail": 1 } };
    expect([bestOf([failing, ...all], "pulls", true), bestOf([...all, failing], "pulls", true)]).toEqual([c, c]);
  });

  test("the trade-off has the wanted figure first, and what changes with it", () => {
    expect(tradeOff(points, "pulls")).toEqual(["pulls", "expectations that fail"]);
    expect(tradeOff(points, "expectations that fail")).toEqual(["expectations that fail", "pulls"]);
    const same = [1, 2].map((n) => ({ value: String(n), figures: { pulls: n, same: 3 } }));
    expect(tradeOff([...same, { value: "3", figures: { same: 3, zero: 0 } }], "pulls")).toEqual(["pulls"]);
  });

  test("figures are named as people type them", () => {
    expect(figureNamed("Bytes-Removed", ["pulls", "bytes removed"], "--minimise")).toBe("bytes removed");
    expect(figureNamed(" ready_P99! ", ["ready p50", "ready p99"], "--minimise")).toBe("ready p99");
    expect(() => figureNamed("pull", ["pulls"], "--minimise")).toThrow(
      /--minimise: expected a figure, found "pull"\. ?Did you mean "pulls"\?/,
    );
    expect(() => figureNamed("xyzzy", ["pulls", "bytes removed", "evicted: BestEffort"], "--maximise")).toThrow(
      '--maximise: expected a figure (pulls, bytes-removed, evicted-besteffort), found "xyzzy".',
    );
  });
});

import { describe, expect, test } from "@jest/globals";
import { chartLibrary } from "../../../src/commands/report.js";
import type { SimulationRecord } from "../../../src/records/record.js";
import { Lanes, type LaneTable } from "../../../src/report/lanes.js";
import { type ReportedRun, reportPage } from "../../../src/report/page.js";
import { escapeHtml, lanesSvg, scriptJson } from "../../../src/report/svg.js";

function lanesOf(...records: readonly SimulationRecord[]): Lanes {
  const lanes = new Lanes();
  for (const record of records) lanes.add(record);
  return lanes;
}

const story: readonly SimulationRecord[] = [
  { t: 1, kind: "pod.applied", pod: "default/a" },
  { t: 1, kind: "device.allocated", pod: "default/a", container: "m", resource: "v/gpu", ids: ["g0"], numa: [0] },
  { t: 3, kind: "container.started", pod: "default/a", container: "m", attempt: 0 },
  { t: 5, kind: "pod.ready", pod: "default/a", ready: true },
  { t: 7, kind: "probe.result", pod: "default/a", container: "m", type: "liveness", result: "failure" },
  { t: 8, kind: "pod.evicted", pod: "default/a", qos: "BestEffort", priority: 0, message: "<low>" },
  { t: 8, kind: "pod.phase", pod: "default/a", phase: "Failed" },
  { t: 8, kind: "pod.ready", pod: "default/a", ready: false },
  { t: 9, kind: "pod.removed", pod: "default/a" },
];

describe("lanes", () => {
  test("a pod waits, runs, is ready, has failed, is gone; what happened to it is marked", () => {
    const { pods, devices } = lanesOf(...story).table(20);
    expect(pods).toMatchObject([
      {
        name: "default/a",
        spans: [
          { from: 1, to: 3, state: "waiting" },
          { from: 3, to: 5, state: "not ready" },
          { from: 5, to: 8, state: "ready" },
          { from: 8, to: 9, state: "failed" },
        ],
        marks: [
          { t: 7, kind: "probe" },
          { t: 8, kind: "evicted" },
        ],
      },
    ]);
    expect(devices).toMatchObject([{ name: "v/gpu/g0", spans: [{ from: 1, to: 8, state: "default/a" }] }]);
  });

  test("what goes on at the end ends there", () => {
    expect(lanesOf({ t: 2, kind: "pod.applied", pod: "a" }).table(10).pods[0]?.spans).toEqual([
      { from: 2, to: 10, state: "waiting" },
    ]);
  });

  const pod = "a";
  const applied: SimulationRecord = { t: 0, kind: "pod.applied", pod };
  const exit = { pod, container: "m", attempt: 0, code: 1 };
  const spansOf = (...records: readonly SimulationRecord[]) =>
    lanesOf(applied, ...records)
      .table(10)
      .pods[0]?.spans.map(({ from, to, state }) => [from, to, state]);

  test.each<{ name: string; records: readonly SimulationRecord[]; kinds: readonly string[] }>([
    {
      name: "a restart",
      records: [{ t: 1, kind: "container.restarted", pod, container: "m", attempt: 1 }],
      kinds: ["restart"],
    },
    { name: "its end", records: [{ t: 1, kind: "container.exited", ...exit, reason: "Error" }], kinds: ["killed"] },
    {
      name: "its end for want of memory",
      records: [{ t: 1, kind: "container.exited", ...exit, reason: "OOMKilled" }],
      kinds: ["oom"],
    },
    {
      name: "that it was killed",
      records: [{ t: 1, kind: "container.killed", ...exit, reason: "" }],
      kinds: ["killed"],
    },
    {
      name: "that it made room",
      records: [{ t: 1, kind: "pod.preempted", pod, qos: "Burstable", priority: 1, message: "" }],
      kinds: ["evicted"],
    },
    {
      name: "that it was not let in",
      records: [{ t: 1, kind: "pod.rejected", pod, reason: "R", message: "" }],
      kinds: ["rejected"],
    },
    {
      name: "no probe that succeeds",
      records: [{ t: 1, kind: "probe.result", pod, container: "m", type: "liveness", result: "success" }],
      kinds: [],
    },
    { name: "no start", records: [{ t: 1, kind: "container.started", ...exit }], kinds: [] },
    { name: "not that it was let in", records: [{ t: 1, kind: "pod.admitted", pod }], kinds: [] },
  ])("$name is marked", ({ records, kinds }) => {
    expect(
      lanesOf(applied, ...records)
        .table(10)
        .pods[0]?.marks.map(({ kind }) => kind),
    ).toEqual(kinds);
  });

  test("a mark says what happened, and when", () => {
    const killed: SimulationRecord = { t: 1, kind: "container.killed", ...exit, reason: "Error" };
    expect(lanesOf(killed).table(10).pods[0]?.marks).toEqual([
      { t: 1, kind: "killed", text: "m killed with 1 (Error)" },
    ]);
  });

  test.each<{
    name: string;
    records: readonly SimulationRecord[];
    spans: readonly (readonly [number, number, string])[];
  }>([
    {
      name: "one that starts again stays what it is",
      records: [
        { t: 1, kind: "pod.ready", pod, ready: true },
        { t: 2, kind: "container.restarted", ...exit },
      ],
      spans: [
        [0, 1, "waiting"],
        [1, 10, "ready"],
      ],
    },
    {
      name: "one that is ready no more is not ready",
      records: [
        { t: 1, kind: "pod.ready", pod, ready: true },
        { t: 2, kind: "pod.ready", pod, ready: false },
      ],
      spans: [
        [0, 1, "waiting"],
        [1, 2, "ready"],
        [2, 10, "not ready"],
      ],
    },
    {
      name: "one that has done its work stays so, whatever its readiness",
      records: [
        { t: 1, kind: "pod.phase", pod, phase: "Succeeded" },
        { t: 2, kind: "pod.ready", pod, ready: false },
      ],
      spans: [
        [0, 1, "waiting"],
        [1, 10, "succeeded"],
      ],
    },
    {
      name: "the phases before that are no states",
      records: [{ t: 1, kind: "pod.phase", pod, phase: "Running" }],
      spans: [[0, 10, "waiting"]],
    },
    {
      name: "one that is gone and comes again begins again",
      records: [
        { t: 1, kind: "pod.removed", pod },
        { t: 3, kind: "pod.applied", pod },
      ],
      spans: [
        [0, 1, "waiting"],
        [3, 10, "waiting"],
      ],
    },
    {
      name: "what lasted no time is not there",
      records: [{ t: 0, kind: "pod.ready", pod, ready: true }],
      spans: [[0, 10, "ready"]],
    },
  ])("$name", ({ records, spans }) => {
    expect(spansOf(...records)).toEqual(spans);
  });

  const allocated = (t: number, of: string, ...ids: readonly string[]): SimulationRecord => ({
    t,
    kind: "device.allocated",
    pod: of,
    container: "m",
    resource: "r",
    ids,
    numa: [],
  });

  test("a device is held until its pod is gone, or another has it", () => {
    const { devices } = lanesOf(
      allocated(1, "a", "x", "y"),
      allocated(2, "b", "y"),
      { t: 4, kind: "pod.removed", pod: "a" },
      { t: 5, kind: "pod.removed", pod: "c" },
    ).table(10);
    expect(devices).toEqual([
      { name: "r/x", spans: [{ from: 1, to: 4, state: "a" }], marks: [] },
      {
        name: "r/y",
        spans: [
          { from: 1, to: 2, state: "a" },
          { from: 2, to: 10, state: "b" },
        ],
        marks: [],
      },
    ]);
  });

  test("of too many pods the first 300 have lanes, the others are counted once each", () => {
    const lanes = lanesOf(
      ...Array.from({ length: 302 }, (_, index): SimulationRecord => ({ t: 0, kind: "pod.applied", pod: `p${index}` })),
      { t: 1, kind: "pod.ready", pod: "p301", ready: true },
      { t: 1, kind: "pod.phase", pod: "p301", phase: "Failed" },
      { t: 1, kind: "container.started", ...exit, pod: "p301" },
      { t: 1, kind: "container.killed", ...exit, reason: "", pod: "p301" },
      { t: 1, kind: "pod.removed", pod: "p301" },
    ).table(10);
    expect([lanes.pods.length, lanes.pods.at(-1)?.name, lanes.hidden]).toEqual([300, "p299", 2]);
  });

  test("of too many marks the first 500 are there", () => {
    const failed = (t: number): SimulationRecord => ({
      t,
      kind: "probe.result",
      pod,
      container: "m",
      type: "liveness",
      result: "failure",
    });
    const [lane] = lanesOf(...Array.from({ length: 502 }, (_, index) => failed(index))).table(600).pods;
    expect([lane?.marks.length, lane?.marks.at(-1)?.t]).toEqual([500, 499]);
  });

  test("a picture has a title for each span and mark, and no text of a pod as markup", () => {
    const svg = lanesSvg(lanesOf(...story).table(20).pods, 20, "pods");
    expect(svg.match(/<title>/g)).toHaveLength(6);
    expect(svg).toContain("&lt;low&gt;");
    expect(svg).not.toContain("<low>");
  });
});

describe("the picture", () => {
  const lane = (name: string, state = "ready", from = 0, to = 60) => ({
    name,
    spans: [{ from, to, state }],
    marks: [],
  });

  test("is as high as its lanes, and has seven times on its axis, to the second", () => {
    const svg = lanesSvg([lane("a"), lane("b")], 60, 'pods of "x"');
    expect(svg).toMatch(/^<svg class="lanes" role="img" aria-label="pods of &quot;x&quot;" viewBox="0 0 1250 74">/);
    expect(
      [...svg.matchAll(/<text class="time" x="([^"]*)" y="12">([^<]*)</g)].map(([, x, text]) => [x, text]),
    ).toEqual([
      ["210.0", "0s"],
      ["376.7", "10s"],
      ["543.3", "20s"],
      ["710.0", "30s"],
      ["876.7", "40s"],
      ["1043.3", "50s"],
      ["1210.0", "1m0s"],
    ]);
    expect(svg).toContain('<line class="tick" x1="376.7" x2="376.7" y1="20" y2="74"/>');
    expect(lanesSvg([], 1, "")).toContain(">1s</text></svg>");
  });

  test("has a bar for each span, in its lane, with subject, text and time", () => {
    const svg = lanesSvg([lane("a"), lane("b", "not ready", 30, 60)], 60, "pods");
    expect(svg.match(/<rect[^>]*><title>[^<]*<\/title><\/rect>/g)).toEqual([
      '<rect class="span ready" x="210.0" y="28" width="1000.0" height="14"><title>a: ready, 0s to 1m0s</title></rect>',
      '<rect class="span not-ready" x="710.0" y="50" width="500.0" height="14"><title>b: not ready, 30s to 1m0s</title></rect>',
    ]);
    expect(svg).toContain('</text><text class="name" x="4" y="39">a</text><rect');
    expect(svg).toContain('</rect><text class="name" x="4" y="61">b</text><rect');
  });

  test("a bar can be seen however short it is, and ends at the run's end; a run of no time has a picture", () => {
    expect(lanesSvg([lane("a", "ready", 5, 5.001)], 60, "")).toContain('width="1.0"');
    expect(lanesSvg([lane("a", "ready", 0, 90)], 60, "")).toContain('width="1000.0"');
    expect(lanesSvg([lane("a", "ready", 0, 0)], 0, "")).not.toContain("NaN");
  });

  test.each(["waiting", "ready", "failed", "succeeded"])("%s has a colour of its own", (state) => {
    expect(lanesSvg([lane("a", state)], 60, "")).toContain(`class="span ${state}"`);
  });

  test("a device that a pod holds has the pod's colour", () => {
    expect(lanesSvg([lane("r/x", "default/a")], 60, "")).toContain('class="span held"');
  });

  test("a name that is too long is cut", () => {
    expect(lanesSvg([lane("n".repeat(30))], 60, "")).toContain(`>${"n".repeat(30)}</text>`);
    expect(lanesSvg([lane("n".repeat(31))], 60, "")).toContain(`>${"n".repeat(29)}…</text>`);
  });

  test.each(["probe", "restart", "killed", "evicted", "rejected", "oom"] as const)(
    "%s has a sign, at its time",
    (kind) => {
      const svg = lanesSvg([{ name: "a", spans: [], marks: [{ t: 30, kind, text: "it & that" }] }], 60, "");
      expect(svg).toMatch(
        new RegExp(
          `<path class="mark ${kind}" d="M [^"]+" transform="translate\\(710\\.0 35\\)"><title>30s it &amp; that</title></path></svg>$`,
        ),
      );
    },
  );
});

test("texts in a page are none of its markup", () => {
  expect(escapeHtml(`<a b="c" d='e'>&amp;`)).toBe("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;");
  expect(scriptJson({ a: "</script>\u2028\u2029" })).toBe('{"a":"\\u003c/script>\\u2028\\u2029"}');
});

describe("a page's parts", () => {
  const library = { script: "let u;</script>", style: ".u{}" };
  const lanes: LaneTable = { pods: [], devices: [], hidden: 0 };
  const run = { name: "r<1>", figures: { pulls: 2 }, lanes, samples: [], until: 60, failures: [] };
  const pageOf = (
    runs: readonly ReportedRun[],
    more: { readonly description?: string; readonly partings?: string[] } = {},
  ) => reportPage("<t>", [{ name: "<s>", description: "", partings: [], ...more, runs }], library);

  test("begins with its title, and what may be loaded is nothing", () => {
    expect(pageOf([run])).toMatch(
      /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">\n/,
    );
    expect(pageOf([run])).toContain("<title>&lt;t&gt;</title>\n<style>.u{}");
    expect(pageOf([run])).toContain("<h1>&lt;t&gt;</h1>\n<section><h2>&lt;s&gt;</h2><table>");
    expect(pageOf([run])).toContain("<script>let u;<\\/script></script>\n<script>");
  });

  test("has what was measured of each run, by its name", () => {
    const samples = [{ t: 0, memory: 1, imageFsUsed: 2, images: 3, running: 1, ready: 1 }];
    expect(pageOf([{ ...run, name: "r", samples }])).toContain(
      `<script type="application/json" id="data">${JSON.stringify([[{ name: "r", samples }]])}</script>`,
    );
  });

  test("has a column for each run, where its curves go by their place", () => {
    const page = reportPage(
      "t",
      [
        { name: "a", description: "", partings: [], runs: [run] },
        { name: "b", description: "", partings: [], runs: [run, run] },
      ],
      library,
    );
    expect([...page.matchAll(/class="charts" id="([^"]*)"/g)].map(([, id]) => id)).toEqual([
      "chart-0-0",
      "chart-1-0",
      "chart-1-1",
    ]);
    expect(page).toContain("</section>\n<section><h2>b</h2>");
    expect(page).toContain('<div class="runs"><article><h3>r&lt;1&gt;</h3><h4>Pods</h4><p class="legend">');
    expect(page).toContain("</article><article>");
    expect(page).toContain('aria-label="pods of r&lt;1&gt;"');
    expect(page).toContain('</svg><h4>Node</h4><div class="charts"');
  });

  test("says what it is about, and where runs differ, where that is known", () => {
    const page = pageOf([run], { description: "it", partings: ["here", "& there"] });
    expect(page).toContain("</h2><p>it</p><table>");
    expect(page).toContain('</table><pre>here</pre><pre>&amp; there</pre><div class="runs">');
    expect(pageOf([run])).toContain('</table><div class="runs">');
  });

  test("says what failed, how many pods it does not show, and which pods had devices, where there are such", () => {
    const devices = [{ name: "r/x", spans: [], marks: [] }];
    const page = pageOf([{ ...run, failures: ["a", "b"], lanes: { ...lanes, devices, hidden: 3 } }]);
    expect(page).toContain('</h3><ul class="wrong"><li>a</li><li>b</li></ul><h4>Pods</h4>');
    expect(page).toContain(
      '</svg><p>and 3 pods more</p><h4>Devices</h4><svg class="lanes" role="img" aria-label="devices of r&lt;1&gt;"',
    );
  });

  test("has a table of figures: a row for each, marked where runs differ", () => {
    const other = { ...run, name: "o", figures: { pulls: 3, evicted: 1 } };
    expect(pageOf([{ ...run, figures: { pulls: 2, evicted: 1 } }, other])).toContain(
      '<table><thead><tr><th></th><th>r&lt;1&gt;</th><th>o</th></tr></thead><tbody><tr class="differs"><th>pulls</th><td>2</td><td>3</td></tr><tr><th>evicted</th><td>1</td><td>1</td></tr></tbody></table>',
    );
  });
});

test("the page stands alone: no address to load from, and no text ends its script", async () => {
  const sample = { t: 0, memory: 1, imageFsUsed: 2, images: 3, running: 1, ready: 1 };
  const run = {
    name: "</script><b>",
    figures: { pulls: 1 },
    lanes: lanesOf(...story).table(20),
    samples: [sample],
    until: 20,
    failures: ["<x>"],
  };
  const page = reportPage(
    "t",
    [{ name: "s", description: "<what it is>", runs: [run], partings: ["they part"] }],
    await chartLibrary(),
  );
  expect(page).not.toMatch(/<(script|link|img)[^>]*\s(src|href)=/);
  expect(page).toContain("default-src 'none'");
  expect(page.match(/<\/script>/g)).toHaveLength(3);
  expect(page).toContain("&lt;x&gt;");
  expect(page).toContain("&lt;what it is&gt;");
  expect(page).toContain("new uPlot(");
});

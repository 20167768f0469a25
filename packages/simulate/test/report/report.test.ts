import { describe, expect, test } from "@jest/globals";
import type { SimulationRecord } from "../../src/records/record.js";
import { Lanes } from "../../src/report/lanes.js";
import { chartLibrary } from "../../src/report/library.js";
import { reportPage } from "../../src/report/page.js";
import { lanesSvg } from "../../src/report/svg.js";

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

  test("a picture has a title for each span and mark, and no text of a pod as markup", () => {
    const svg = lanesSvg(lanesOf(...story).table(20).pods, 20, "pods");
    expect(svg.match(/<title>/g)).toHaveLength(6);
    expect(svg).toContain("&lt;low&gt;");
    expect(svg).not.toContain("<low>");
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

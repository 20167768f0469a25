import { stripVTControlCharacters } from "node:util";
import { expect, test } from "@jest/globals";
import { anEvent, aPod, NOW } from "../../server/test/fake-agent.js";
import { type FrameInput, frame } from "../src/run/frame.js";

function lines(change: Partial<FrameInput>): readonly string[] {
  const input = {
    pods: [aPod("web")],
    events: [],
    columns: 100,
    rows: 24,
    colour: false,
    now: NOW,
    tick: 0,
    ...change,
  };
  return frame(input).split("\n");
}

const many = (count: number) => Array.from({ length: count }, (_, n) => aPod(`pod-${n}`));
const pending = aPod("slow", { status: { phase: "Pending", conditions: [], containerStatuses: [] } });

test("pods, beneath them the events, last the progress", () => {
  expect(lines({ events: [anEvent("web", "Started")] })).toEqual([
    "NAME   READY   STATUS    RESTARTS   AGE",
    "web    1/1     Running   0          60s",
    "",
    "LAST SEEN   TYPE     REASON    OBJECT    MESSAGE",
    "30s         Normal   Started   pod/web   Started of web",
    "✓ 1 of 1 pods are ready or have ended. Ctrl-C stops them.",
  ]);
});

test("the mark turns while a pod comes up", () => {
  const first = lines({ pods: [pending], tick: 0 }).at(-1);
  const second = lines({ pods: [pending], tick: 1 }).at(-1);
  expect(first).toMatch(/^⠋ 0 of 1/);
  expect(second).toMatch(/^⠙ 0 of 1/);
});

test.each([
  { pods: 3, events: 2, rows: 24 },
  { pods: 110, events: 50, rows: 24 },
  { pods: 110, events: 0, rows: 10 },
  { pods: 5, events: 50, rows: 6 },
  { pods: 2, events: 3, rows: 3 },
  { pods: 2, events: 3, rows: 1 },
])("$pods pods and $events events fit into $rows rows", ({ pods, events, rows }) => {
  const drawn = lines({
    pods: many(pods),
    events: Array.from({ length: events }, () => anEvent("pod-1", "Started")),
    rows,
  });
  expect(drawn.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
  expect(drawn.at(-1)).toContain("pods are ready");
});

test("what does not fit is counted", () => {
  const drawn = lines({
    pods: many(110),
    rows: 20,
    events: Array.from({ length: 9 }, () => anEvent("pod-1", "Started")),
  });
  expect(drawn.join("\n")).toMatch(/… \d+ more pods/);
  expect(drawn.filter((line) => line.includes("Started")).length).toBeGreaterThan(1);
});

test("no line is wider than the terminal", () => {
  const drawn = lines({ events: [anEvent("web", "Started", { message: "x".repeat(500) })], columns: 40, colour: true });
  for (const line of drawn) expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(40);
});

test("colours change nothing but the colour", () => {
  const input = { pods: [aPod("web"), pending], events: [anEvent("web", "BackOff", { type: "Warning" })] };
  expect(lines({ ...input, colour: true }).map(stripVTControlCharacters)).toEqual(lines(input));
  expect(lines({ ...input, colour: true }).join("")).toContain("\u001b[");
});

test("what is waited for takes the place of the progress", () => {
  expect(lines({ notice: "Waiting for pod web to stop." }).at(-1)).toBe("⠋ Waiting for pod web to stop.");
});

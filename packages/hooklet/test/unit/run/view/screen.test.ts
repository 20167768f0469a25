import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { anEvent, aPod, NOW } from "../../../../../server/test/samples.js";
import { paint, styling } from "../../../../src/run/view/paint.js";
import { type Picture, type ScreenInput, screen } from "../../../../src/run/view/screen.js";
import { firstState, press, type Shown, type ViewState } from "../../../../src/run/view/view-state.js";

function picture(change: Partial<ScreenInput> = {}): Picture {
  return screen({
    state: firstState,
    pods: [aPod("web")],
    events: [],
    messages: [],
    lastLines: new Map(),
    about: "hooklet 1 on node1 | socket /s",
    notice: undefined,
    hasKeys: true,
    columns: 100,
    rows: 24,
    style: styling(false),
    now: NOW,
    ...change,
  });
}

const NOTHING: Shown = { uids: ["uid-web"], page: 10, length: 0 };

const text = (change: Partial<ScreenInput> = {}): string =>
  picture(change)
    .lines.map((line) => line.trimEnd())
    .join("\n");
const many = (count: number) => Array.from({ length: count }, (_, n) => aPod(`pod-${n}`));
const pending = aPod("slow", { status: { phase: "Pending", conditions: [], containerStatuses: [] } });
const crash = aPod("crash", {
  status: {
    conditions: [],
    containerStatuses: [
      {
        name: "main",
        ready: false,
        restartCount: 3,
        image: "host",
        imageID: "",
        state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 20s restarting" } },
        lastState: { terminated: { exitCode: 1, reason: "Error", finishedAt: "2026-11-21T09:59:50Z" } },
      },
    ],
  },
});

describe("w", () => {
  const long = `reason ${"x".repeat(150)} end`;
  const refused = aPod("big", {
    status: { phase: "Failed", reason: "Odd", message: long, conditions: [], containerStatuses: [] },
  });

  test("wraps what is cut: a pod's reason, and the lines of a text", () => {
    const cut = text({ pods: [refused] });
    expect(cut).not.toContain(" end");
    const state = press(firstState, { sequence: "w" }, NOTHING) as ViewState;
    expect(text({ pods: [refused], state })).toMatch(/^ {4}x+ end$/m);
    const reading: ViewState = { ...state, mode: "explain" };
    const shown = picture({ state: reading, text: { title: "explain", lines: [`  ${long}`] } });
    expect(shown.lines.join("\n")).toMatch(/\n {2}x+ end *\n/);
    expect(shown.length).toBe(2);
    expect((press(state, { sequence: "w" }, NOTHING) as ViewState).wraps).toBe(false);
  });
});

test("what another terminal needs is not cut: where it is too long each variable has a line", () => {
  const exports = `PATH=~/${"a".repeat(40)}:$PATH HOOKLET_SOCKET=~/${"b".repeat(40)}`;
  expect(text({ exports, columns: 200 }).split("\n")[2]).toBe(`export ${exports}`);
  expect(text({ exports, columns: 80 }).split("\n").slice(2, 4)).toEqual(
    exports.split(" ").map((one) => `export ${one}`),
  );
});

describe("the pods", () => {
  test("that are being stopped are counted as that", () => {
    const going = aPod("going", { metadata: { deletionTimestamp: "2026-11-21T10:00:00Z" } });
    expect(text({ pods: [aPod("a"), going] })).toContain("\n2 pods: 1 stopping, 1 well\n");
  });

  test("in trouble stand first, with the reason and their last line, below them those that come up, then the others", () => {
    const lastLines = new Map([["uid-crash/main", "no such table: users"]]);
    const lines = text({ pods: [aPod("a"), crash, pending], lastLines }).split("\n");
    expect(lines.slice(2, 9)).toEqual([
      "3 pods: 1 in trouble, 1 coming up, 1 well",
      "NAME    READY   STATUS             RESTARTS      AGE",
      "crash   0/1     CrashLoopBackOff   3 (10s ago)   60s",
      "    main: exit code 1 (Error), then CrashLoopBackOff: back-off 20s restarting",
      "    | no such table: users",
      "slow    0/1     Pending            0             60s",
      "a       1/1     Running            0             60s",
    ]);
  });

  test("are chosen by a part of their name, namespace or status", () => {
    const state: ViewState = { ...firstState, filter: "crashloop" };
    expect(picture({ pods: [aPod("a"), crash], state }).uids).toEqual(["uid-crash"]);
    expect(text({ pods: [aPod("a")], state })).toContain('No pod matches "crashloop".');
  });

  test("that a filter hides show no events either; those of the node stay", () => {
    const warned = (kind: string, name: string) =>
      anEvent(name, "Odd", {
        type: "Warning",
        message: `of ${name}`,
        involvedObject: { kind, name, uid: `uid-${name}` },
      });
    const events = [warned("Pod", "a"), warned("Pod", "web"), warned("Node", "node1")];
    const shown = text({ pods: [aPod("a"), aPod("web")], state: { ...firstState, filter: "web" }, events });
    expect(shown).toContain("of web");
    expect(shown).toContain("of node1");
    expect(shown).not.toContain("of a");
  });

  test("that do not fit are counted on both sides, and the selected one is in sight", () => {
    const state: ViewState = { ...firstState, selected: "uid-pod-50" };
    const shown = text({ pods: many(110), state, rows: 20 });
    expect(shown).toContain("pod-50 ");
    expect(shown).toMatch(/… more pods: \d+ above, \d+ below/);
  });
});

test("the first line says where the agent is, the second what can be done next, the last which keys there are", () => {
  const lines = picture().lines;
  expect(lines[0]).toBe("hooklet 1 on node1 | socket /s");
  expect(lines[1]).toContain("hooklet get pods");
  expect(lines.at(-1)).toContain("Ctrl-C stop");
  expect(picture({ notice: "Waiting for pod web to stop." }).lines.at(-1)).toBe("Waiting for pod web to stop.");
});

test("only warnings and the agent's own troubles take lines from the pods", () => {
  const events = [anEvent("web", "Started"), anEvent("web", "Unhealthy", { type: "Warning" })];
  const shown = text({ events, messages: ["error: plugin x failed"] });
  expect(shown).toContain("Unhealthy of web");
  expect(shown).toContain("error: plugin x failed");
  expect(shown).not.toContain("Started of web");
});

test.each([
  { pods: 3, rows: 24, columns: 80 },
  { pods: 110, rows: 24, columns: 80 },
  { pods: 110, rows: 50, columns: 200 },
  { pods: 5, rows: 6, columns: 40 },
  { pods: 2, rows: 3, columns: 20 },
  { pods: 2, rows: 1, columns: 10 },
])("$pods pods fill $rows rows of $columns columns exactly", ({ pods, rows, columns }) => {
  const events = Array.from({ length: 9 }, () =>
    anEvent("pod-1", "BackOff", { type: "Warning", message: "x".repeat(300) }),
  );
  const { lines } = picture({
    pods: many(pods),
    events,
    messages: ["m".repeat(300)],
    rows,
    columns,
    style: styling(true),
  });
  expect(lines).toHaveLength(rows);
  for (const line of lines) expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(columns);
});

describe("warnings", () => {
  const gone = anEvent("gone", "BackOff", { type: "Warning" });
  const full = anEvent("node1", "DiskPressure", { type: "Warning", involvedObject: { kind: "Node", uid: "node1" } });

  test("of pods that are there and of the node stand below the pods", () => {
    const shown = text({ events: [gone, anEvent("web", "Unhealthy", { type: "Warning" }), full] });
    expect(shown).toContain("Unhealthy of web");
    expect(shown).toContain("DiskPressure of node1");
  });

  test("of a pod that is gone leave", () => {
    expect(text({ events: [gone] })).not.toContain("of gone");
  });
});

describe("a picture after another", () => {
  test("costs only the lines that changed", () => {
    const before = picture({ pods: [aPod("web"), aPod("db")] }).lines;
    expect(paint(before, before)).toBe("");
    const after = picture({ pods: [aPod("web"), aPod("db")], now: NOW + 1000 }).lines;
    // Ages of a minute and more grow in steps.
    expect(paint(before, after).split(";1H")).toHaveLength(3);
    expect(paint(before, after)).not.toContain("\u001b[2J");
  });

  test("is drawn whole on a screen of another size", () => {
    expect(paint(undefined, ["a", "b"])).toBe("\u001b[2J\u001b[1;1H\u001b[Ka\u001b[2;1H\u001b[Kb");
  });
});

describe("keys", () => {
  const shown: Shown = { uids: ["a", "b", "c"], page: 10, length: 100 };
  const after = (state: ViewState, ...keys: readonly (readonly [name: string, sequence?: string])[]): ViewState =>
    keys.reduce<ViewState>((now, [name, sequence]) => {
      const next = press(now, { name, sequence: sequence ?? (name.length === 1 ? name : "") }, shown);
      if (typeof next === "string") throw new Error(next);
      return next;
    }, state);

  test("move the selection, and no further than there are pods", () => {
    expect(after(firstState, ["down"]).selected).toBe("b");
    expect(after(firstState, ["down"], ["j"], ["down"]).selected).toBe("c");
    expect(after(firstState, ["end"], ["up"], ["k"], ["k"]).selected).toBe("a");
  });

  test("open log, description and events of the selected pod, and lead back", () => {
    const log = after(firstState, ["down"], ["l"]);
    expect(log).toMatchObject({ mode: "log", selected: "b" });
    expect(after(log, ["d"])).toMatchObject({ mode: "describe", selected: "b", scroll: 0 });
    expect(after(log, ["escape"]).mode).toBe("pods");
  });

  test("scroll a log, which stays at its end once it is there again", () => {
    const log = after(firstState, ["l"]);
    expect(log.scroll).toBeUndefined();
    const up = after(log, ["up"], ["up"]);
    expect(up.scroll).toBe(88);
    expect(after(up, ["down"]).scroll).toBe(89);
    expect(after(up, ["down"], ["down"]).scroll).toBeUndefined();
  });

  test("type a filter, take letters of it back, keep it or drop it", () => {
    const typed = after(firstState, ["/"], ["q"], ["w"], ["backspace"], ["d"]);
    expect(typed).toMatchObject({ filter: "qd", isTyping: true });
    expect(after(typed, ["return"])).toMatchObject({ filter: "qd", isTyping: false });
    expect(after(typed, ["return"], ["escape"]).filter).toBe("");
  });

  test("a filter that hides the selected pod leads to the pod that the screen marks", () => {
    const hidden = { ...firstState, selected: "gone", filter: "web" };
    expect(press(hidden, { sequence: "x" }, { ...shown, uids: ["web"] })).toMatchObject({
      mode: "explain",
      selected: "web",
    });
  });

  test("q leads back to the pods, and among them stops nothing", () => {
    expect(after(firstState, ["l"], ["q"], ["q"])).toMatchObject({ mode: "pods" });
  });

  test("Ctrl-C stops in every mode", () => {
    for (const state of [firstState, { ...firstState, mode: "log" as const }, { ...firstState, isTyping: true }])
      expect(press(state, { name: "c", ctrl: true, sequence: "\u0003" }, shown)).toBe("stop");
  });
});

describe("a text", () => {
  const state: ViewState = { ...firstState, mode: "log" };
  const log = (count: number) => ({
    title: "log of web",
    lines: Array.from({ length: count }, (_, n) => `line ${n + 1}`),
  });
  const page = picture({ state, text: log(1) }).page;

  test("that fits on the screen has no place in it", () => {
    expect(text({ state, text: log(page) })).toMatch(/log of web\nline 1\n/);
  });

  test("that is longer shows its end, or what was scrolled to, and says which lines those are", () => {
    const last = page + 3;
    expect(text({ state, text: log(last) })).toContain(`log of web   lines 4 to ${last} of ${last}\nline 4\n`);
    expect(text({ state: { ...state, scroll: 1 }, text: log(last) })).toContain(
      `log of web   lines 2 to ${page + 1} of ${last}\nline 2\n`,
    );
  });
});

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

const KEYS = "/ filter  x explain  l log  d describe  y yaml  s shell  ? help  Ctrl-C stop";

describe("the last line", () => {
  test.each<[what: string, change: Partial<ScreenInput>, line: string]>([
    ["among the pods", {}, KEYS],
    [
      "in a text",
      { state: { ...firstState, mode: "help" } },
      "PgUp/PgDn  w wrap  x explain  l log  d describe  y yaml  e events  q back",
    ],
    [
      "while a filter is typed",
      { state: { ...firstState, isTyping: true } },
      "Type a part of a name, namespace or status   Enter keep   Esc clear",
    ],
    [
      "without keys",
      { hasKeys: false, pods: [aPod("web"), pending] },
      "1 of 2 pods are ready or have ended. Ctrl-C stops them.",
    ],
    ["while something is waited for, whatever else", { notice: "Waiting.", hasKeys: false }, "Waiting."],
  ])("%s", (_, change, line) => expect(picture(change).lines.at(-1)).toBe(line));
});

test("a small screen has no line on other terminals: its rows are for the pods", () => {
  expect(picture({ rows: 16 }).lines[1]).toMatch(/^In another terminal: hooklet get pods /);
  expect(picture({ rows: 15 }).lines[1]).toBe("1 pod: 1 well");
});

test.each([
  [3, ["hooklet 1 on node1 | socket /s", "1 pod: 1 well", KEYS]],
  [2, [KEYS]],
  [1, [KEYS]],
  [0, [KEYS]],
])("of %d rows the last one has the keys", (rows, lines) => expect(picture({ rows }).lines).toEqual(lines));

describe("the line of numbers", () => {
  test.each<[change: Partial<ScreenInput>, line: string]>([
    [{ pods: [] }, "0 pods: 0 well"],
    [{ pods: [aPod("a"), aPod("b")] }, "2 pods: 2 well"],
    [{ pods: [crash] }, "1 pod: 1 in trouble, 0 well"],
    [{ state: { ...firstState, filter: "web" } }, "1 pod: 1 well   filter: web"],
    [{ state: { ...firstState, filter: "we", isTyping: true } }, "1 pod: 1 well   filter: we_"],
    [{ state: { ...firstState, isTyping: true } }, "1 pod: 1 well   filter: _"],
  ])("%#: %s", (change, line) => expect(picture({ rows: 15, ...change }).lines[1]).toBe(line));

  test("counts a pod in trouble that stops once", () => {
    const going = { ...crash, metadata: { ...crash.metadata, deletionTimestamp: "2026-11-21T10:00:00Z" } };
    expect(picture({ rows: 15, pods: [going] }).lines[1]).toBe("1 pod: 1 in trouble, 0 well");
  });

  test("has a colour for each kind", () => {
    const going = aPod("going", { metadata: { deletionTimestamp: "2026-11-21T10:00:00Z" } });
    const [, line] = picture({
      ...{
        rows: 15,
        columns: 200,
        pods: [aPod("a"), crash, pending, going],
        style: (format, words) => `<${format} ${words}>`,
      },
      state: { ...firstState, filter: "o" },
    }).lines;
    expect(line).toBe(
      "4 pods: <red 1 in trouble>, <yellow 1 coming up>, <yellow 1 stopping>, <green 1 well><cyan    filter: o>",
    );
  });
});

describe("an empty table", () => {
  test("says that there are no pods yet, or that none matches", () => {
    expect(picture({ rows: 15, pods: [] }).lines[2]).toBe("No pods yet.");
    expect(picture({ rows: 15, state: { ...firstState, filter: "x" } }).lines[2]).toBe('No pod matches "x".');
  });
});

describe("the selected pod", () => {
  const marked = (change: Partial<ScreenInput>) =>
    picture({
      ...change,
      rows: 15,
      style: (format, words) => (format === "inverse" ? `>${words}` : words),
    }).lines.filter((line) => line.startsWith(">"));

  test("is marked; without one, or where it is not in sight, it is the first", () => {
    const pods = [aPod("a"), aPod("b")];
    expect(marked({ pods, state: { ...firstState, selected: "uid-b" } })).toEqual([expect.stringMatching(/^>b /)]);
    expect(marked({ pods })).toEqual([expect.stringMatching(/^>a /)]);
    expect(marked({ pods, state: { ...firstState, selected: "gone" } })).toEqual([expect.stringMatching(/^>a /)]);
  });

  test("is none where there are no keys", () => expect(marked({ hasKeys: false })).toEqual([]));
});

describe("more pods than rows", () => {
  const shown = (selected: string, change: Partial<ScreenInput> = {}) => {
    const { lines, page } = picture({
      ...{ pods: many(20), rows: 12, state: { ...firstState, selected: `uid-${selected}` } },
      ...change,
    });
    const names = lines.filter((line) => line.startsWith("pod-")).map((line) => Number(/\d+/.exec(line)?.[0]));
    return { page, first: names[0], last: names.at(-1), more: lines.find((line) => line.startsWith("…")) };
  };

  test.each([
    ["pod-0", 0, 6, "… more pods: 13 below"],
    ["pod-10", 7, 13, "… more pods: 7 above, 6 below"],
    ["pod-19", 13, 19, "… more pods: 13 above"],
  ])("%s: those around it are shown, the others counted", (selected, first, last, more) => {
    expect(shown(selected)).toEqual({ page: 8, first, last, more });
  });

  test("with wrapped lines the selected pod is in sight too, and each pod is counted once", () => {
    const { lines } = picture({
      ...{ pods: many(20), rows: 12, columns: 32 },
      state: { ...firstState, selected: "uid-pod-10", wraps: true },
    });
    const [more] = lines.filter((line) => line.startsWith("…"));
    expect(lines.some((line) => line.startsWith("pod-10 "))).toBe(true);
    const names = lines.filter((line) => /^pod-\d/.test(line));
    const counted = [...(more ?? "").matchAll(/\d+/g)].reduce((sum, [number]) => sum + Number(number), 0);
    expect(counted + names.length).toBe(20);
  });

  test("a line that stands below its pod is not counted as one", () => {
    const pods = Array.from({ length: 9 }, (_, n) => ({ ...crash, metadata: { ...crash.metadata, uid: `uid-${n}` } }));
    const { lines } = picture({ pods, rows: 12, state: { ...firstState, selected: "uid-0" } });
    expect(lines.find((line) => line.startsWith("…"))).toBe("… more pods: 5 below");
  });
});

describe("below the pods", () => {
  const warnings = Array.from({ length: 9 }, (_, n) => anEvent("web", `Odd${n}`, { type: "Warning" }));
  const messages = ["error: a", "error: b", "error: c", "error: d"];
  const below = (change: Partial<ScreenInput>) => {
    const { lines } = picture(change);
    const find = (part: string) => lines.filter((line) => line.includes(part)).map((line) => line.trim().slice(0, 8));
    return {
      warnings: lines.filter((line) => line.includes("Odd")).map((line) => /Odd\d/.exec(line)?.[0]),
      messages: find("error: "),
    };
  };

  test("stand the five newest warnings and the three newest messages, where there is room", () => {
    expect(below({ events: warnings, messages, rows: 60 })).toEqual({
      warnings: ["Odd4", "Odd5", "Odd6", "Odd7", "Odd8"],
      messages: ["error: b", "error: c", "error: d"],
    });
    expect(below({ messages, rows: 60 }).messages).toEqual(["error: b", "error: c", "error: d"]);
  });

  test("takes a third of the rows at most: warnings before messages", () => {
    expect(below({ events: warnings, messages, rows: 18 })).toEqual({
      warnings: ["Odd6", "Odd7", "Odd8"],
      messages: [],
    });
    expect(below({ events: warnings.slice(0, 1), messages, rows: 24 })).toEqual({
      warnings: ["Odd0"],
      messages: ["error: b", "error: c", "error: d"],
    });
    expect(below({ events: warnings, messages, rows: 10 })).toEqual({ warnings: [], messages: [] });
  });

  test("messages are red, the heading of the warnings is bold, and a free line is above", () => {
    const { lines } = picture({
      ...{ events: warnings.slice(0, 1), messages: messages.slice(0, 1), rows: 24 },
      style: (format, words) => `<${format}>${words}`,
    });
    const at = lines.findIndex((line) => line.includes("<bold>LAST SEEN"));
    expect([lines[at - 1], lines[at + 2]]).toEqual(["", "<red>error: a"]);
  });
});

describe("the page of keys", () => {
  test("has each key, and is read from its beginning", () => {
    const state = press(firstState, { sequence: "?" }, NOTHING) as ViewState;
    const { lines, length, uids } = picture({ state, rows: 24 });
    expect(lines[2]).toBe("Keys");
    expect(lines.slice(3, 3 + length).map((line) => line.split("  ")[0])).toEqual([
      ...["Up, Down, k, j", "PgUp, PgDn", "Enter, d", "x", "y", "s", "l", "e", "/", "w", "Ctrl-L", "q, Esc", "Ctrl-C"],
    ]);
    expect(uids).toEqual([]);
  });
});

test("a text that is not there yet is empty", () => {
  const { lines, length } = picture({ state: { ...firstState, mode: "log" }, rows: 5 });
  expect([lines.slice(1, 4), length]).toEqual([["", "", ""], 0]);
});

test.each([
  [10, "0123456789", ["0123456789"]],
  [9, "0123456789", ["012345678", "9"]],
  [4, "0123456789", ["0123", "4567", "89"]],
  [6, "  abcdefgh", ["  abcd", "  efgh"]],
  [4, "      ab", ["    ", "    ", "  ab"].slice(0, 1).concat(["    ", "  ab"])],
])("in %d columns %j is wrapped, as far in as the line and half the width at most", (columns, line, rows) => {
  const state: ViewState = { ...firstState, mode: "log", wraps: true };
  const { lines } = picture({ state, columns, rows: 12, text: { title: "t", lines: [line] } });
  expect(lines.slice(2, 2 + rows.length)).toEqual(rows);
});

test("a line that is too wide is cut, and loses its paint", () => {
  const state: ViewState = { ...firstState, mode: "log" };
  const shown = (columns: number, line: string) =>
    picture({ state, columns, rows: 12, text: { title: "t", lines: [line] } }).lines[2];
  expect(shown(5, "12345")).toBe("12345");
  expect(shown(5, "123456")).toBe("1234…");
  expect(shown(5, "\u001b[31m12345\u001b[39m")).toBe("\u001b[31m12345\u001b[39m");
  expect(shown(5, "\u001b[31m123456\u001b[39m")).toBe("1234…");
  expect(shown(1, "12")).toBe("…");
  expect(shown(0, "12")).toBe("…");
});

/** What each key does to the live view. */
import { describe, expect, test } from "@jest/globals";
import { firstState, type Key, press, type Shown, type ViewState } from "../../../../src/run/view/view-state.js";

const shown: Shown = { uids: ["a", "b", "c", "d", "e"], page: 2, length: 10 };
/** As readline tells a letter, and a key that has a name alone. */
const letter = (sequence: string, more: Key = {}): Key => ({ sequence, name: sequence.toLowerCase(), ...more });
const named = (name: string): Key => ({ name, sequence: `\u001b[${name}` });
const after = (state: Partial<ViewState>, key: Key, now: Partial<Shown> = {}) =>
  press({ ...firstState, ...state }, key, { ...shown, ...now });

describe("in every mode", () => {
  test.each(["pods", "log", "help"] as const)("Ctrl-C stops, Ctrl-L draws the screen again: %s", (mode) => {
    for (const isTyping of [false, true]) {
      expect(after({ mode, isTyping }, { name: "c", ctrl: true })).toBe("stop");
      expect(after({ mode, isTyping }, { name: "l", ctrl: true })).toBe("redraw");
    }
    expect(after({ mode }, letter("c"))).toEqual({ ...firstState, mode });
    expect(after({ mode }, { name: "d", sequence: "\u0004", ctrl: true })).toEqual({ ...firstState, mode });
  });

  test("w wraps lines, and cuts them again", () => {
    expect(after({ mode: "log" }, letter("w"))).toMatchObject({ wraps: true });
    expect(after({ wraps: true }, letter("w"))).toMatchObject({ wraps: false });
  });

  test("s opens a shell, but not from the page of keys", () => {
    expect([after({}, letter("s")), after({ mode: "log" }, letter("s"))]).toEqual(["shell", "shell"]);
    expect(after({ mode: "help" }, letter("s"))).toEqual({ ...firstState, mode: "help" });
  });
});

describe("among the pods", () => {
  test.each<readonly [Key, string | undefined, string]>([
    [named("down"), undefined, "b"],
    [letter("j"), "b", "c"],
    [named("down"), "e", "e"],
    [named("up"), "b", "a"],
    [letter("k"), "a", "a"],
    [named("pagedown"), "a", "c"],
    [{ name: "space", sequence: " " }, "d", "e"],
    [named("pageup"), "d", "b"],
    [named("home"), "d", "a"],
    [letter("g"), "d", "a"],
    [named("end"), "a", "e"],
    [letter("G"), "a", "e"],
    [named("down"), "gone", "b"],
  ])("%j leads from %s to %s", (key, selected, to) => {
    expect(after(selected === undefined ? {} : { selected }, key)).toEqual({ ...firstState, selected: to });
  });

  test("where there are none no key selects one", () => {
    expect(after({}, named("down"), { uids: [] })).toEqual(firstState);
  });

  test.each<readonly [Key, Partial<ViewState>]>([
    [letter("l"), { mode: "log" }],
    [letter("e"), { mode: "events" }],
    [letter("d"), { mode: "describe", scroll: 0 }],
    [letter("x"), { mode: "explain", scroll: 0 }],
    [letter("y"), { mode: "yaml", scroll: 0 }],
    [
      { name: "return", sequence: "\r" },
      { mode: "describe", scroll: 0 },
    ],
  ])("%j opens a text of the selected pod, from its beginning or its end", (key, opened) => {
    const state = { selected: "b", container: 3, scroll: 7, filter: "x" };
    expect(after(state, key)).toEqual({ ...firstState, selected: "b", filter: "x", ...opened });
  });

  test("a text is of the first pod in sight where the filter hides the selected one, and of none where none is", () => {
    expect(after({ selected: "hidden" }, letter("l"))).toMatchObject({ selected: "a" });
    expect(after({}, letter("l"))).toMatchObject({ selected: "a" });
    expect(after({ selected: "b" }, letter("l"), { uids: [] })).toMatchObject({ selected: "b" });
    expect(after({}, letter("l"), { uids: [] })).not.toHaveProperty("selected");
  });

  test.each(["?", "h"])("%s shows the keys", (key) => {
    expect(after({}, letter(key))).toEqual({ ...firstState, mode: "help", scroll: 0 });
  });

  test("Esc drops the filter; another key does nothing", () => {
    expect(after({ filter: "x" }, named("escape"))).toEqual(firstState);
    expect(after({ filter: "x" }, letter("b"))).toEqual({ ...firstState, filter: "x" });
  });
});

describe("a filter", () => {
  const typing = (filter: string, key: Key) => after({ isTyping: true, filter }, key);
  const typed = (filter: string, isTyping = true) => ({ ...firstState, isTyping, filter });

  test("begins with /", () => expect(after({}, { sequence: "/" })).toEqual(typed("")));

  test("takes letters that lead somewhere else otherwise, and blanks", () => {
    for (const key of ["l", "w", "q", "?", " ", "~", "ü"]) expect(typing("a", letter(key))).toEqual(typed(`a${key}`));
  });

  test.each<Key>([
    named("up"),
    { name: "tab", sequence: "\t" },
    { sequence: "\u007f" },
    { sequence: "\u0001", ctrl: true },
    { sequence: "a", ctrl: true },
    {},
  ])("takes no key that is no letter: %j", (key) => expect(typing("a", key)).toEqual(typed("a")));

  test("has sixty letters at most", () => {
    expect(typing("x".repeat(59), letter("y"))).toEqual(typed(`${"x".repeat(59)}y`));
    expect(typing("x".repeat(60), letter("y"))).toEqual(typed("x".repeat(60)));
  });

  test("loses its last letter, is kept, or is dropped", () => {
    expect(typing("ab", { name: "backspace", sequence: "\b" })).toEqual(typed("a"));
    expect(typing("ab", { name: "return", sequence: "\r" })).toEqual(typed("ab", false));
    expect(typing("ab", named("escape"))).toEqual(typed("", false));
  });
});

describe("in a text", () => {
  test.each<readonly [Key, number | undefined, number | undefined]>([
    [named("up"), undefined, 7],
    [letter("k"), 3, 2],
    [letter("k"), 0, 0],
    [letter("j"), 3, 4],
    [named("pageup"), 5, 3],
    [named("pagedown"), 3, 5],
    [named("home"), 5, 0],
    [letter("j"), 7, undefined],
    [named("end"), 0, undefined],
    [letter("j"), undefined, undefined],
  ])("that grows %j leads from line %s to line %s; at its end it stays there", (key, from, to) => {
    const state: ViewState = { ...firstState, mode: "log" };
    const expected = to === undefined ? state : { ...state, scroll: to };
    expect(after(from === undefined ? state : { ...state, scroll: from }, key)).toEqual(expected);
  });

  test.each(["describe", "explain", "yaml", "help"] as const)(
    "that does not grow the last page is the end: %s",
    (mode) => {
      expect(after({ mode, scroll: 0 }, named("end"))).toEqual({ ...firstState, mode, scroll: 8 });
      expect(after({ mode, scroll: 8 }, letter("j"))).toEqual({ ...firstState, mode, scroll: 8 });
      expect(after({ mode, scroll: 0 }, letter("j"), { length: 1 })).toEqual({ ...firstState, mode, scroll: 0 });
    },
  );

  test.each([named("escape"), named("left"), letter("q")])("%j leads back to the pods", (key) => {
    expect(after({ mode: "log", scroll: 3, selected: "b" }, key)).toEqual({ ...firstState, selected: "b" });
  });

  test("Tab goes on to the next container's log, at its end, and does nothing elsewhere", () => {
    const tab = { name: "tab", sequence: "\t" };
    expect(after({ mode: "log", container: 1, scroll: 3 }, tab)).toEqual({ ...firstState, mode: "log", container: 2 });
    expect(after({ mode: "events", scroll: 3 }, tab)).toEqual({ ...firstState, mode: "events", scroll: 3 });
  });

  test("a letter opens another text; others do nothing", () => {
    expect(after({ mode: "log", scroll: 3, selected: "b", container: 2 }, letter("y"))).toEqual({
      ...firstState,
      ...{ mode: "yaml", scroll: 0, selected: "b" },
    });
    for (const key of ["/", "h", "b"])
      expect(after({ mode: "log" }, letter(key))).toEqual({ ...firstState, mode: "log" });
  });
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { pluginCode, thrownBy } from "../../../src/agent/plugin-code.js";

describe("whose callback threw", () => {
  const beside = { folder: "/etc/hooklet", libraries: true };
  const plugins = [
    { name: "mine", file: "/etc/hooklet/mine.mjs", ...beside },
    { name: "other", file: "/etc/hooklet/o (1).mjs", ...beside },
    { name: "packed", file: "/srv/packed/dist/index.js", folder: "/srv/packed", libraries: true },
    { name: "project", file: "/home/p/plugin.js", folder: "/home/p", libraries: false },
  ];
  const thrown = (...frames: string[]): Error =>
    Object.assign(new Error("x"), { stack: ["Error: x", ...frames.map((frame) => `    at ${frame}`)].join("\n") });
  const MINE = "Timeout._onTimeout (file:///etc/hooklet/mine.mjs:3:5)";
  const AGENT = "AbortController.late (file:///opt/core/call-tap.js:1:2)";
  const NO_DISPATCH = "EventTarget.dispatchEvent (file:///opt/core/node:internal/event_target:1:2)";
  const ABORTED = [
    "EventTarget.<anonymous> (file:///etc/hooklet/mine.mjs:3:5)",
    "[nodejs.internal.kHybridDispatch] (node:internal/event_target:831:20)",
    "EventTarget.dispatchEvent (node:internal/event_target:766:26)",
    "abortSignal (node:internal/abort_controller:370:10)",
    "AbortController.abort (node:internal/abort_controller:392:5)",
    AGENT,
  ];
  const TIMERS = ["listOnTimeout (node:internal/timers:588:17)", "process.processTimers (node:internal/timers:523:7)"];

  test.each<[string, unknown, string | undefined]>([
    ["a timer of its own", thrown(MINE, ...TIMERS), "mine"],
    ["without a name, by path", thrown("/etc/hooklet/mine.mjs:3:5", ...TIMERS), "mine"],
    [
      "an array's callback within it",
      thrown("file:///etc/hooklet/mine.mjs:3:5", "Array.map (<anonymous>)", MINE),
      "mine",
    ],
    ["a name with blanks", thrown("file:///etc/hooklet/o%20%281%29.mjs:1:2", ...TIMERS), "other"],
    [
      "a timer of the agent's that called it",
      thrown(MINE, "Timeout.run (file:///opt/core/clock.js:1:2)", ...TIMERS),
      undefined,
    ],
    ["two plugins on one stack", thrown(MINE, "f (file:///etc/hooklet/o%20%281%29.mjs:1:2)", ...TIMERS), undefined],
    ["a file of its folder that its entry called", thrown("f (file:///etc/hooklet/lib/a.mjs:3:5)", MINE), "mine"],
    ["a file of a folder that two share, alone", thrown("f (file:///etc/hooklet/lib/a.mjs:3:5)", ...TIMERS), "mine"],
    [
      "several files of a package",
      thrown("f (file:///srv/packed/dist/b/c.js:3:5)", "/srv/packed/dist/d.js:1:2"),
      "packed",
    ],
    [
      "a library of a package",
      thrown("f (/srv/packed/node_modules/x/i.js:3:5)", "/srv/packed/dist/d.js:1:2"),
      "packed",
    ],
    [
      "an awaited function of it",
      thrown("async f (file:///srv/packed/dist/b.js:3:5)", "async file:///srv/packed/c.js:1:2"),
      "packed",
    ],
    ["a library of a project that has hooklet installed", thrown("f (/home/p/node_modules/x/i.js:3:5)"), undefined],
    ["a file of such a project", thrown("f (/home/p/src/i.js:3:5)", ...TIMERS), "project"],
    ["files of two plugins' folders", thrown("f (/home/p/src/i.js:3:5)", "f (/srv/packed/dist/d.js:1:2)"), undefined],
    ["a folder that only begins alike", thrown("f (/srv/packed-too/i.js:3:5)", ...TIMERS), undefined],
    ["its listener of a signal that the agent aborts", thrown(...ABORTED), "mine"],
    ["such a listener that is called deep in the agent", thrown(...ABORTED, ...Array(10).fill(AGENT)), "mine"],
    ["a listener of the agent's own", thrown(AGENT, ...ABORTED.slice(1)), undefined],
    ["no listener, below a frame of the same name that is not Node's", thrown(MINE, NO_DISPATCH, AGENT), undefined],
    ["Node alone", thrown(...TIMERS), undefined],
    ["no stack", thrown(), undefined],
    ["no error", "x", undefined],
    ["a stack that may go on where it was cut", thrown(...Array(10).fill(MINE)), undefined],
    ["one frame fewer", thrown(...Array(9).fill(MINE)), "mine"],
    [
      "an error that throws when it is read",
      Object.defineProperty(new Error("x"), "stack", {
        get: () => {
          throw new Error("no");
        },
      }),
      undefined,
    ],
    ["a stack that is no text", Object.assign(new Error("x"), { stack: 7 }), undefined],
    ["a place that is no URL", thrown("f (file://%zz:1:2)"), undefined],
  ])("%s", (_name, error, plugin) => {
    expect(thrownBy(error, plugins, 10)).toBe(plugin);
  });
});

describe("what belongs to a plugin", () => {
  let folder: string;
  const put = (file: string): string => {
    const at = path.join(folder, file);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, "{}");
    return at;
  };

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), "hooklet-plugin-code-")));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("its package, libraries among it", () => {
    put("p/package.json");
    const entry = put("p/dist/index.js");
    const core = path.join(folder, "hooklet/core");
    const wanted = { name: "p", file: entry, folder: path.join(folder, "p"), libraries: true };
    expect(pluginCode("p", entry, core)).toEqual(wanted);
    symlinkSync(path.join(folder, "p"), path.join(folder, "link"));
    expect(pluginCode("p", path.join(folder, "link/dist/index.js"), core)).toEqual(wanted);
  });

  test("a project that has hooklet among its libraries, without them", () => {
    put("p/package.json");
    const core = path.dirname(put("p/node_modules/@hooklet/core/package.json"));
    const entry = put("p/src/plugin.js");
    expect(pluginCode("p", entry, core)).toMatchObject({ folder: path.join(folder, "p"), libraries: false });
  });

  test("of a file in hooklet's own checkout, the folder that it lies in", () => {
    put("package.json");
    const core = path.dirname(put("packages/core/package.json"));
    const entry = put("examples/plugins/one.mjs");
    expect(pluginCode("p", entry, core)).toMatchObject({ folder: path.dirname(entry), libraries: true });
  });

  test("of a file in a folder that holds such a checkout, that file alone", () => {
    const core = path.dirname(put("hooklet/packages/core/package.json"));
    const entry = put("one.mjs");
    expect(pluginCode("p", entry, core)).toMatchObject({ file: entry, folder: entry });
  });

  test("of a plugin in hooklet's bundle, the module behind its entry", () => {
    const module = put("bundle/plugin-probe.cjs");
    const entry = put("bundle/plugin-probe.js");
    expect(pluginCode("p", entry, path.dirname(entry))).toMatchObject({ file: module, folder: module });
  });

  test("a missing file counts by its path", () => {
    expect(pluginCode("p", path.join(folder, "gone/x.mjs"), "/core").file).toBe(path.join(folder, "gone/x.mjs"));
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { AUDIT_REASON } from "@hooklet/core/host";
import { systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { FakeAgent } from "../../../../server/test/fake-agent.js";
import { anEvent, aPod } from "../../../../server/test/samples.js";
import { temporaryFolder } from "../../../../server/test/start.js";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { LiveView } from "../../../src/run/live-view.js";
import { eventually, type FakeIo, fakeIo } from "../../binary.js";

interface Terminal {
  readonly io: FakeIo;
  readonly clock: VirtualClock;
  readonly keys: PassThrough;
  readonly raw: boolean[];
}

function terminal(): Terminal {
  const clock = new VirtualClock({ start: Date.UTC(2026, 10, 21, 10) });
  const keys = new PassThrough();
  const raw: boolean[] = [];
  Object.assign(keys, { isTTY: true, setRawMode: (on: boolean) => raw.push(on) });
  const io = { ...fakeIo({ NO_COLOR: "1" }), clock, stdin: keys } as FakeIo;
  Object.assign(io.stdout, { isTTY: true, columns: 80, rows: 20 });
  return { io, clock, keys, raw };
}

const about = "hooklet 1 on node1 | socket /s";
const view = (io: FakeIo, api: FakeAgent, interrupt = (): void => undefined): LiveView =>
  new LiveView({ io, api, about, interrupt });

test("the terminal is given back, once, and a summary stays behind", async () => {
  const { io, clock, raw } = terminal();
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  const live = view(io, api);
  live.start();
  expect(io.stdout.text.startsWith("\u001b[?1049h")).toBe(true);
  await clock.advance(90_000);
  live.stop();
  live.stop();
  const [, left = "", ...more] = io.stdout.text.split("\u001b[?1049l");
  expect(more).toEqual([]);
  expect(left).toMatch(/^hooklet 1 on node1 .*\nran for 1m30s with these pods:\nNAME .*\nweb .*\n$/);
  expect(raw).toEqual([true, false]);
  expect([io.stdout.listenerCount("resize"), api.listeners]).toEqual([0, 0]);
});

test("changes that come together are drawn once, and quiet costs next to nothing", async () => {
  const { io, clock } = terminal();
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  const live = view(io, api);
  live.start();
  io.stdout.text = "";
  api.setPods([aPod("web"), aPod("db")]);
  api.emit(anEvent("db", "BackOff", { type: "Warning" }));
  await clock.advance(120);
  expect(io.stdout.text.match(/2 pods/g)).toHaveLength(1);
  expect(io.stdout.text).toContain("BackOff of db");
  io.stdout.text = "";
  await clock.advance(60_000);
  expect(io.stdout.text).not.toContain("\u001b[2J");
  expect(io.stdout.text.length).toBeLessThan(60 * 400);
  live.stop();
  expect(clock.pending).toBe(0);
});

test("changes that go on and on are drawn every 100 ms all the same", async () => {
  const { io, clock } = terminal();
  const api = new FakeAgent();
  const live = view(io, api);
  live.start();
  const drawn: number[] = [];
  for (let at = 0; at < 300; at += 50) {
    io.stdout.text = "";
    api.setPods([aPod(`web${at}`)]);
    await clock.advance(50);
    if (io.stdout.text !== "") drawn.push(at + 50);
  }
  expect(drawn).toEqual([100, 200, 300]);
  live.stop();
});

test("a new size is drawn whole, and nothing of the old one stays", () => {
  const { io } = terminal();
  const live = view(io, new FakeAgent());
  live.start();
  io.stdout.text = "";
  Object.assign(io.stdout, { columns: 30, rows: 5 });
  io.stdout.emit("resize");
  expect(io.stdout.text).toContain("\u001b[2J");
  expect(io.stdout.text).not.toContain("\u001b[6;1H");
  live.stop();
});

test("log lines are shown below the pods, and stand on standard error afterwards", async () => {
  const { io, clock } = terminal();
  const live = view(io, new FakeAgent());
  live.start();
  live.print("error: plugin x failed\n");
  await clock.advance(120);
  expect(io.stdout.text).toContain("error: plugin x failed");
  expect(io.stderr.text).toBe("");
  live.stop();
  live.print("after\n");
  expect(io.stderr.text).toBe("error: plugin x failed\nafter\n");
});

test("of a message of several lines the first is shown; all of it stands on standard error afterwards", async () => {
  const { io, clock } = terminal();
  const live = view(io, new FakeAgent());
  live.start();
  live.print("error: tick failed\n    at one\n    at another\n");
  await clock.advance(120);
  expect(io.stdout.text).toContain("error: tick failed");
  expect(io.stdout.text).not.toContain("at another");
  live.stop();
  expect(io.stderr.text).toBe("error: tick failed\n    at one\n    at another\n");
});

test("Ctrl-C stops, l follows the log of the selected pod", async () => {
  const { io, keys } = terminal();
  const own = { ...io, clock: systemClock };
  const api = new FakeAgent();
  const path = join(await temporaryFolder(), "log");
  await writeFile(path, "the first line\n");
  let ended = false;
  api.logFile = { path, format: "raw", ended: () => ended };
  api.setPods([aPod("web"), aPod("zoo")]);
  let stops = 0;
  const live = view(own, api, () => {
    stops += 1;
  });
  live.start();
  keys.write("jl");
  await eventually(() => expect(io.stdout.text).toContain("log of pod zoo, container main"));
  await eventually(() => expect(io.stdout.text).toContain("the first line"));
  await writeFile(path, "the first line\nand more\n");
  await eventually(() => expect(io.stdout.text).toContain("and more"));
  keys.write("\u0003");
  await eventually(() => expect(stops).toBe(1));
  ended = true;
  live.stop();
});

test("x explains the selected pod, y shows its YAML", async () => {
  const { io, keys } = terminal();
  const api = new FakeAgent();
  api.setPods([
    aPod("web", { status: { phase: "Failed", reason: "DeadlineExceeded", conditions: [], containerStatuses: [] } }),
  ]);
  const live = view({ ...io, clock: systemClock }, api);
  live.start();
  keys.write("x");
  await eventually(() => expect(io.stdout.text).toContain("The pod ran longer than its activeDeadlineSeconds"));
  keys.write("y");
  await eventually(() => expect(io.stdout.text).toContain("apiVersion: v1"));
  live.stop();
});

test("s gives the terminal to a shell, and redraws when it has ended; without a shell it shows the reason", async () => {
  const { io, keys, raw } = terminal();
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  const shells: string[] = [];
  const shell = async (pod: { metadata: { name: string } }): Promise<void> => {
    shells.push(`${pod.metadata.name} ${raw.at(-1)}`);
    expect(io.stdout.text.endsWith("Shell in pod default/web; exit leads back to the view.\n")).toBe(true);
    io.stdout.text = "";
    throw new Error("no sh in it");
  };
  const live = new LiveView({ io: { ...io, clock: systemClock }, api, about, shell, interrupt: () => undefined });
  live.start();
  keys.write("s");
  await eventually(() => expect(io.stdout.text).toContain("shell in pod web: no sh in it"));
  expect(shells).toEqual(["web false"]);
  expect(raw).toEqual([true, false, true]);
  expect(io.stdout.text).toContain("\u001b[?1049h");
  live.stop();
});

test("what was typed before there was a view is dropped, from a terminal that keeps no line back", async () => {
  const { io, keys, raw } = terminal();
  keys.write("q");
  const dropped: unknown[] = [];
  const dropTyped = (): void => void dropped.push(raw.at(-1), String(keys.read()));
  let stops = 0;
  const live = view({ ...io, dropTyped } as FakeIo, new FakeAgent(), () => {
    stops += 1;
  });
  live.start();
  keys.write("?");
  await eventually(() => expect(io.stdout.text).toContain("describe the selected pod"));
  expect(dropped).toEqual([true, "q"]);
  expect(stops).toBe(0);
  live.stop();
});

test("a repeated event is one line with its last count, and the user's own commands are none", async () => {
  const { io, clock } = terminal();
  const api = new FakeAgent();
  api.setPods([aPod("db")]);
  const live = view(io, api);
  live.start();
  for (const count of [2, 3, 4]) api.emit(anEvent("db", "BackOff", { type: "Warning", count }));
  api.emit(anEvent("node1", AUDIT_REASON, { type: "Warning", message: "apply bad.yaml: refused" }));
  await clock.advance(120);
  expect(io.stdout.text.match(/BackOff of db/g)).toHaveLength(1);
  expect(io.stdout.text).toContain("(x4 over");
  expect(io.stdout.text).not.toContain("refused");
  live.stop();
});

test("the page of a pod that goes says so, and no other pod takes its place", async () => {
  const { io, clock, keys } = terminal();
  const api = new FakeAgent();
  api.setPods([aPod("boom"), aPod("web")]);
  const live = view(io, api);
  live.start();
  keys.write("d");
  await eventually(() => expect(io.stdout.text).toContain("pod boom"));
  api.setPods([aPod("web")]);
  io.stdout.text = "";
  await clock.advance(5_000);
  expect(io.stdout.text).toContain("Pod boom is gone.");
  expect(io.stdout.text).not.toContain("pod web");
  live.stop();
});

test("of a pod in trouble the last line is read once for each of its ends", async () => {
  const { io } = terminal();
  const own = { ...io, clock: systemClock };
  const api = new FakeAgent();
  const path = join(await temporaryFolder(), "log");
  await writeFile(path, "no such table\n");
  api.logFile = { path, format: "raw", ended: () => true };
  const failed = (restartCount: number) =>
    aPod("web", {
      status: {
        conditions: [],
        containerStatuses: [
          { name: "main", ready: false, restartCount, image: "", imageID: "", state: { terminated: { exitCode: 1 } } },
        ],
      },
    });
  api.setPods([failed(0)]);
  const live = view(own, api);
  live.start();
  await eventually(() => expect(io.stdout.text).toContain("| no such table"));
  const reads = (): number => api.calls.length;
  api.setPods([failed(0)]);
  api.setPods([failed(1)]);
  await eventually(() => expect(reads()).toBe(2));
  live.stop();
});

/** Rows of the screen that have the text now: what was written last at each. */
function onScreen({ stdout }: FakeIo, part: string): string[] {
  const rows = new Map<string, string>();
  let at = "";
  for (const written of stdout.text.split("\u001b[")) {
    const [, row = ""] = /^(\d+);1H$/.exec(written) ?? [];
    if (row !== "") at = row;
    else if (written.startsWith("K")) rows.set(at, written.slice(1));
  }
  return [...rows.values()].filter((text) => text.includes(part));
}

test("the summary has the pods as they were before they were stopped, and its closing words", async () => {
  const { io } = terminal();
  const api = new FakeAgent();
  const live = view(io, api);
  api.setPods([aPod("web")]);
  live.start();
  live.remember();
  api.setPods([]);
  live.remember();
  io.stdout.text = "";
  live.stop({ closing: "Bye." });
  expect(io.stdout.text).toMatch(/\nran for 0s with these pods:\nNAME .*\nweb .*\nBye\.\n$/);
});

test("where there were none the summary says so; without a summary nothing is left behind", () => {
  for (const [options, left] of [
    [{}, `${about}\nran for 0s with these pods:\nNo pods.\n`],
    [{ summary: false, closing: "Bye." }, ""],
  ] as const) {
    const { io } = terminal();
    const live = view(io, new FakeAgent());
    live.start();
    live.stop(options);
    expect(io.stdout.text.split("\u001b[?1049l")[1]).toBe(left);
  }
});

test("what is being waited for stands in place of the keys, at once, and is gone with its reason", () => {
  const { io } = terminal();
  const live = view(io, new FakeAgent());
  live.start();
  live.notice = "Waiting for pod web.";
  expect(onScreen(io, "Waiting for pod web.")).toHaveLength(1);
  live.notice = undefined;
  expect([onScreen(io, "Waiting"), onScreen(io, "Ctrl-C stop").length]).toEqual([[], 1]);
  live.stop();
  io.stdout.text = "";
  live.notice = "late";
  expect(io.stdout.text).toBe("");
});

test("of messages the last hundred stand on standard error afterwards; empty ones are none", async () => {
  const { io, clock } = terminal();
  const live = view(io, new FakeAgent());
  live.start();
  live.print(" \n");
  for (let n = 0; n < 101; n += 1) live.print(`message ${n}\n\n`);
  await clock.advance(120);
  expect(onScreen(io, "message ")).toEqual(["message 98", "message 99", "message 100"]);
  live.stop();
  const lines = io.stderr.text.split("\n");
  expect([lines[0], lines.at(-2), lines.length]).toEqual(["message 1", "message 100", 101]);
});

test("what the agent logs of commands is not on the screen, but on standard error afterwards", async () => {
  const { io, clock } = terminal();
  const live = view(io, new FakeAgent());
  live.start();
  live.print("[10:00:00.000] INFO: audit: reload done\n");
  await clock.advance(120);
  expect(io.stdout.text).not.toContain("audit");
  live.stop();
  expect(io.stderr.text).toContain("audit: reload done");
});

test("of events the last 200 are kept, commands aside, whether from before or new", async () => {
  const { io, keys, clock } = terminal();
  Object.assign(io.stdout, { rows: 300 });
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  api.recorded = Array.from({ length: 199 }, (_, n) => anEvent("web", `Old${n}`));
  for (let n = 0; n < 100; n += 1)
    api.recorded.push(anEvent("node1", AUDIT_REASON, { metadata: { name: `audit${n}` } }));
  const live = view(io, api);
  live.start();
  keys.write("e");
  await eventually(() => expect(onScreen(io, "Old")).toHaveLength(199));
  api.emit(anEvent("web", "New1"));
  api.emit(anEvent("web", "New2"));
  await clock.advance(120);
  expect([onScreen(io, "New").length, onScreen(io, "Old0 ").length, onScreen(io, "Old1 ").length]).toEqual([2, 0, 1]);
  live.stop();
});

test("events without a name are a line each", async () => {
  const { io, clock } = terminal();
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  const live = view(io, api);
  live.start();
  for (const reason of ["Odd1", "Odd2"]) api.emit(anEvent("web", reason, { type: "Warning", metadata: {} }));
  await clock.advance(120);
  expect(onScreen(io, "Odd")).toHaveLength(2);
  live.stop();
});

test("without a terminal to read from there are no keys, and the last line says how to stop", () => {
  for (const change of [{ isTTY: false }, { setRawMode: undefined }]) {
    const { io, keys, raw } = terminal();
    Object.assign(keys, change);
    const live = view(io, new FakeAgent());
    live.start();
    expect([keys.listenerCount("keypress"), raw]).toEqual([0, []]);
    live.stop();
    expect(raw).toEqual([]);
  }
});

test("a terminal that is not read is not drawn on, until it is read again", async () => {
  const { io, clock } = terminal();
  const api = new FakeAgent();
  const live = view(io, api);
  live.start();
  io.stdout.text = "";
  Object.defineProperty(io.stdout, "writableNeedDrain", { value: true, configurable: true });
  api.setPods([aPod("web")]);
  await clock.advance(5_000);
  expect(io.stdout.text).toBe("");
  Object.defineProperty(io.stdout, "writableNeedDrain", { value: false });
  await clock.advance(1_000);
  expect(onScreen(io, "web")).toHaveLength(1);
  live.stop();
  expect(clock.pending).toBe(0);
});

test("Ctrl-L redraws the whole screen, other keys what they change", async () => {
  const { io, keys } = terminal();
  const live = view(io, new FakeAgent());
  live.start();
  io.stdout.text = "";
  keys.write("/");
  await eventually(() => expect(onScreen(io, "filter: _")).toHaveLength(1));
  expect(io.stdout.text).not.toContain("\u001b[2J");
  keys.write("\u000c");
  await eventually(() => expect(io.stdout.text).toContain("\u001b[2J"));
  live.stop();
});

test("while a shell has the terminal nothing is drawn, and there is no second one; a stop leaves the view behind", async () => {
  const { io, clock, keys } = terminal();
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  let [shells, exit] = [0, (): void => undefined];
  const shell = (): Promise<void> => {
    shells += 1;
    return new Promise((resolve) => {
      exit = resolve;
    });
  };
  const live = new LiveView({ io, api, about, shell, interrupt: () => undefined });
  live.start();
  keys.write("ss");
  await eventually(() => expect(shells).toBe(1));
  io.stdout.text = "";
  api.setPods([aPod("web"), aPod("db")]);
  await clock.advance(5_000);
  expect([shells, io.stdout.text]).toEqual([1, ""]);
  live.stop({ summary: false });
  io.stdout.text = "";
  exit();
  await clock.settle();
  expect([io.stdout.text, keys.listenerCount("keypress")]).toEqual(["", 0]);
});

test("where there is no pod, or no shell for it, s does nothing", async () => {
  for (const [pods, shell] of [
    [[], () => Promise.reject(new Error("a shell"))],
    [[aPod("web")], undefined],
  ] as const) {
    const { io, clock, keys } = terminal();
    const api = new FakeAgent();
    api.setPods([...pods]);
    const live = new LiveView({ io, api, about, ...(shell && { shell }), interrupt: () => undefined });
    live.start();
    keys.write("s?");
    await eventually(() => expect(onScreen(io, "select a pod")).toHaveLength(1));
    await clock.advance(200);
    expect(io.stdout.text).not.toMatch(/Shell in pod|a shell$/m);
    live.stop();
  }
});

test("where the filter hides the selected pod a shell is in the first one in sight", async () => {
  const { io, keys } = terminal();
  const api = new FakeAgent();
  api.setPods([aPod("db"), aPod("web")]);
  const shells: string[] = [];
  const shell = async ({ metadata }: { metadata: { name: string } }): Promise<void> => void shells.push(metadata.name);
  const live = new LiveView({ io, api, about, shell, interrupt: () => undefined });
  live.start();
  keys.write("kk/web\rs");
  await eventually(() => expect(shells).toEqual(["web"]));
  live.stop();
});

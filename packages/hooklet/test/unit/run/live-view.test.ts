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

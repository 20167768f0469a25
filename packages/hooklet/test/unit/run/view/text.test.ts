/** The texts in place of the pods: which there are, what they say, and how old they may become. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Decision } from "@hooklet/core";
import type { Pod } from "@hooklet/manifest";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { FakeAgent } from "../../../../../server/test/fake-agent.js";
import { anEvent, aPod, NOW } from "../../../../../server/test/samples.js";
import { VirtualClock } from "../../../../../sim/src/clock/virtual-clock.js";
import { Texts } from "../../../../src/run/view/text.js";
import { firstState, type Mode, type ViewState } from "../../../../src/run/view/view-state.js";

let folder: string;
/** Each ends what it reads. */
const endings: (() => Promise<void>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hooklet-text-"));
});

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
  rmSync(folder, { recursive: true });
});

function texts() {
  const [api, clock] = [new FakeAgent(), new VirtualClock({ start: NOW })];
  api.list = [aPod("web"), aPod("db")];
  let changes = 0;
  const made = new Texts(api, clock, () => {
    changes += 1;
  });
  endings.push(() => {
    made.stop();
    return clock.advance(200);
  });
  const show = (mode: Mode, pod: Pod | undefined, change: Partial<ViewState> = {}, lastLines = new Map()) =>
    made.of({ ...firstState, mode, ...change }, pod, api.recorded, lastLines);
  /** What it shows once its answer is there. */
  const answer = async (...asked: Parameters<typeof show>) => {
    const before = changes;
    show(...asked);
    while (changes === before) await new Promise((resolve) => setImmediate(resolve));
    return show(...asked);
  };
  return { api, clock, texts: made, show, answer, changes: () => changes };
}

/** A log whose container has not ended. */
function log(api: FakeAgent, name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  api.logFiles[name.replace("-", "/")] = { path: file, format: "raw", ended: () => false };
  return file;
}

const two = aPod("web", {
  spec: {
    initContainers: [{ name: "init", image: "host" }],
    containers: [
      { name: "main", image: "host" },
      { name: "side", image: "host" },
    ],
  },
});

test.each(["pods", "help"] as const)("there is none in the mode %s", (mode) => {
  expect(texts().show(mode, aPod("web"))).toBeUndefined();
});

test.each<[mode: Mode, title: string]>([
  ["describe", "pod web"],
  ["events", "events of pod web"],
  ["explain", "explain of pod web"],
  ["yaml", "yaml of pod web"],
  ["log", "log of pod web, container main"],
])("the title of %s is %j", (mode, title) => {
  const { show, api } = texts();
  log(api, "web-main", "");
  expect(show(mode, aPod("web"))?.title).toBe(title);
});

test("where nothing is selected and there is no pod, there is no text", () => {
  expect(texts().show("describe", undefined)).toBeUndefined();
});

test("a selected pod that is gone is named: the one that was shown, not another", () => {
  const { show } = texts();
  expect(show("describe", undefined, { selected: "uid-web" })).toEqual({
    title: "pod that was looked at",
    lines: ["Pod that was looked at is gone. Esc goes back to the pods."],
  });
  show("describe", aPod("web"), { selected: "uid-web" });
  expect(show("log", undefined, { selected: "uid-web" })).toEqual({
    title: "pod web",
    lines: ["Pod web is gone. Esc goes back to the pods."],
  });
});

test("description and events are the pod's own", () => {
  const { api, show } = texts();
  api.recorded = [anEvent("web", "Started"), anEvent("db", "Killing")];
  for (const mode of ["describe", "events"] as const) {
    const lines = show(mode, aPod("web"))?.lines.join("\n");
    expect(lines).toContain("Started of web");
    expect(lines).not.toContain("Killing of db");
  }
  expect(show("describe", aPod("web"))?.lines[0]).toMatch(/^Name: +web$/);
});

test("the YAML is that of the pod, a line each", async () => {
  const { answer, changes } = texts();
  const shown = await answer("yaml", aPod("web"));
  expect(shown?.lines.slice(0, 3)).toEqual(["apiVersion: v1", "kind: Pod", "metadata:"]);
  expect(changes()).toBe(1);
});

test("an explanation has decisions of the past and of now, and the last lines of its containers", async () => {
  const { api, answer } = texts();
  const decision = (outcome: string): Decision => ({
    ...{ at: NOW, plugin: "core", strategy: "podAdmit", subject: "pod/default/web", considered: [], outcome },
  });
  api.decisions = [decision("rejected: OutOfcpu")];
  const asked: string[] = [];
  const explainNow = async (kind: string, name: string): Promise<readonly Decision[]> => {
    asked.push(`${kind} ${name}`);
    return [decision("rejected: OutOfpods")];
  };
  Object.assign(api, { explainNow });
  const failed = { terminated: { exitCode: 1, reason: "Error", finishedAt: "2026-11-21T09:59:50Z" } };
  const pod = aPod("web", {
    status: {
      conditions: [],
      containerStatuses: [{ name: "main", ready: false, restartCount: 1, image: "", imageID: "", state: failed }],
    },
  });
  const lines = (await answer("explain", pod, {}, new Map([["uid-web/main", "no such table"]])))?.lines.join("\n");
  expect(asked).toEqual(["pod default/web"]);
  for (const part of ["OutOfcpu", "OutOfpods", "no such table"]) expect(lines).toContain(part);
});

test("an answer is shown until it is 2 s old, and while the next one is on its way; each is requested once", async () => {
  const { api, clock, show, answer } = texts();
  let asked = 0;
  let reply: (error: Error) => void = () => undefined;
  api.explainNow = () => {
    asked += 1;
    return new Promise((_, reject) => {
      reply = reject;
    });
  };
  const pod = aPod("web");
  expect(show("explain", pod)?.lines).toEqual([]);
  await clock.advance(10_000);
  expect(show("explain", pod)?.lines).toEqual([]);
  expect(asked).toBe(1);
  reply(new Error("first\nof two"));
  expect((await answer("explain", pod))?.lines).toEqual(["first", "of two"]);
  await clock.advance(1_999);
  show("explain", pod);
  expect(asked).toBe(1);
  await clock.advance(1);
  expect(show("explain", pod)?.lines).toEqual(["first", "of two"]);
  expect(asked).toBe(2);
  reply(new Error("second"));
  expect((await answer("explain", pod))?.lines).toEqual(["second"]);
});

test("the answer for another pod, or to another question, is not shown in its place", async () => {
  const { show, answer } = texts();
  await answer("yaml", aPod("web"));
  expect(show("yaml", aPod("db"))?.lines).toEqual([]);
  await answer("yaml", aPod("web"));
  expect(show("explain", aPod("web"))?.lines).toEqual([]);
});

test("Tab leads from the first container through all of them, init containers too, and back", () => {
  const { api, show } = texts();
  for (const name of ["web-init", "web-main", "web-side"]) log(api, name, "");
  const titles = [0, 1, 2, 3].map((container) => show("log", two, { container })?.title);
  const of = (name: string): string => `log of pod web, container ${name} (3 containers)`;
  expect(titles).toEqual([of("main"), of("side"), of("init"), of("main")]);
});

test("a log goes on as it is written: whole lines, a rest once it is one, and letters that a terminal obeys never", async () => {
  const { api, clock, show } = texts();
  const file = log(api, "web-main", "one\ntw");
  const lines = async (): Promise<readonly string[] | undefined> => {
    await clock.advance(200);
    return show("log", aPod("web"))?.lines;
  };
  show("log", aPod("web"));
  expect(await lines()).toEqual(["one"]);
  appendFileSync(file, "o\n\u001b[2Jthree\n");
  const [one, second, third] = (await lines()) ?? [];
  expect([one, second]).toEqual(["one", "two"]);
  expect(third).not.toContain("\u001b");
});

test("of a log the last 2000 lines are kept, and of each line 2000 letters", async () => {
  const { api, clock, show } = texts();
  const file = log(api, "web-main", Array.from({ length: 2_500 }, (_, n) => `line ${n}\n`).join(""));
  show("log", aPod("web"));
  await clock.advance(200);
  const shown = show("log", aPod("web"))?.lines;
  expect([shown?.length, shown?.[0], shown?.at(-1)]).toEqual([2_000, "line 500", "line 2499"]);
  appendFileSync(file, `${"x".repeat(3_000)}\nlast\n`);
  await clock.advance(200);
  const now = show("log", aPod("web"))?.lines;
  expect([now?.length, now?.[0], now?.at(-2)?.length, now?.at(-1)]).toEqual([2_000, "line 502", 2_000, "last"]);
});

test("a log is followed once, and from its beginning when the container starts again", async () => {
  const { api, clock, show } = texts();
  log(api, "web-main", "a\n");
  const started = (containerID: string): Pod =>
    aPod("web", { status: { containerStatuses: [{ name: "main", containerID }] } });
  for (const id of ["1", "1", "2"]) {
    show("log", started(id));
    await clock.advance(200);
  }
  expect(show("log", started("2"))?.lines).toEqual(["a"]);
  expect(api.calls.filter((call) => (call as string[])[0] === "log")).toEqual(
    Array(2).fill(["log", "main", { previous: false }]),
  );
});

test("a log that cannot be read says why", async () => {
  const { answer } = texts();
  expect((await answer("log", aPod("web")))?.lines).toEqual(["no log file set in this test"]);
});

test.each(["another mode", "the end"])("%s ends the reading of a log", async (what) => {
  const { api, clock, show, texts: all, changes } = texts();
  const file = log(api, "web-main", "a\n");
  show("log", aPod("web"));
  await clock.advance(200);
  if (what === "the end") all.stop();
  else show("describe", aPod("web"));
  await clock.advance(200);
  const before = changes();
  appendFileSync(file, "b\n");
  await clock.advance(1_000);
  expect([changes() - before, clock.pending]).toEqual([0, 0]);
});

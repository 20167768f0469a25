/** What the files of the folder of events say, seen at once or within a moment. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@hooklet/core";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { EventFolder, type FolderEvent } from "../../../src/container/event-folder.js";
import { recordingLog } from "../../harness.js";
import { until } from "../../node.js";

let folder: string;
let events: EventFolder;
let said: string[];
let timers: { readonly milliseconds: number; readonly run: () => void; cancelled: boolean }[];
const clock = {
  schedule: (milliseconds: number, run: () => void) => {
    const timer = { milliseconds, run, cancelled: false };
    timers.push(timer);
    return {
      cancel: () => {
        timer.cancelled = true;
      },
    };
  },
} as unknown as Clock;
beforeEach(() => {
  [said, timers] = [[], []];
  folder = mkdtempSync(join(tmpdir(), "hooklet-events-"));
  events = new EventFolder(folder, clock, recordingLog(said));
});
afterEach(() => {
  events.close();
  rmSync(folder, { recursive: true, force: true });
});

const [A, B] = ["a".repeat(64), "b".repeat(64)];
const put = (name: string) => writeFileSync(join(folder, name), "");
function open() {
  const seen: { events: FolderEvent[]; outputs: string[]; sweeps: number } = { events: [], outputs: [], sweeps: 0 };
  events.open(
    (event) => seen.events.push(event),
    (id) => seen.outputs.push(id),
    () => seen.sweeps++,
  );
  return seen;
}

test("files are named by a container's id and what happened to it; others mean nothing", () => {
  for (const name of [`${A}.up`, `${A}.0`, `${B}.137`, `${B}.lost`, `${A}.output`]) put(name);
  for (const name of [
    `${A}.1234`,
    `${A}.upper`,
    `x${A}.up`,
    `${A}x.up`,
    `${A}.`,
    A.slice(1),
    `${A}.output.old`,
    `x${A}.output`,
  ])
    put(name);
  const found = events.list().sort((a, b) => `${a.id}${a.what}`.localeCompare(`${b.id}${b.what}`));
  expect(found).toEqual([
    { id: A, what: 0 },
    { id: A, what: "up" },
    { id: B, what: 137 },
    { id: B, what: "lost" },
  ]);
  expect(events.outputs()).toEqual([A]);
});

test("what comes is reported at once, output apart from the rest", async () => {
  const seen = open();
  put(`${A}.output`);
  put("other");
  put(`${B}.3`);
  await until("both should be seen", () => seen.outputs.length > 0 && seen.events.length > 0);
  expect(seen.outputs[0]).toBe(A);
  expect(seen.events[0]).toEqual({ id: B, what: 3 });
  expect(seen.sweeps).toBe(0);
});

test("the whole folder is looked through every 10 s, should an event have been dropped", () => {
  put(`${A}.up`);
  const seen = open();
  for (let turn = 0; turn < 2; turn++) timers[turn]?.run();
  expect(seen).toMatchObject({
    events: [
      { id: A, what: "up" },
      { id: A, what: "up" },
    ],
    sweeps: 2,
    outputs: [],
  });
  expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([10_000, 10_000, 10_000]);
  expect(said).toEqual([]);
});

test("a folder that cannot be watched is looked through every 200 ms, and that is said", () => {
  rmSync(folder, { recursive: true });
  const seen = open();
  timers[0]?.run();
  expect(said).toEqual([
    expect.stringMatching(new RegExp(`^cannot watch ${folder}, looking into it every 200 ms instead: `)),
    expect.stringMatching(new RegExp(`^cannot look into ${folder}: `)),
  ]);
  mkdirSync(folder);
  put(`${A}.up`);
  timers[1]?.run();
  expect(seen).toMatchObject({ events: [{ id: A, what: "up" }], sweeps: 1 });
  expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([200, 200, 200]);
});

test("once it is closed nothing is looked through any more", () => {
  const seen = open();
  put(`${A}.up`);
  events.close();
  expect(timers.map(({ cancelled }) => cancelled)).toEqual([true]);
  timers[0]?.run();
  expect([seen.sweeps, timers.length]).toEqual([0, 1]);
});

/** What is noted and logged of a shutdown that does not come to its end. */
import { aPod, VirtualClock } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { ShutdownManager } from "../../src/manager.js";
import { FakeLogind } from "./fake-logind.js";

let clock: VirtualClock;
let logind: FakeLogind;
let life: AbortController;
let noted: string[];
let logged: string[];
let running: Promise<void>;
/** Ends the only pod. */
let end: () => void;

beforeEach(async () => {
  [clock, logind, life, noted, logged] = [new VirtualClock(), new FakeLogind(), new AbortController(), [], []];
  const evicted = new Promise<void>((resolve) => {
    end = resolve;
  });
  const log = (_: unknown, text = String(_)): unknown => logged.push(text);
  const manager = new ShutdownManager({
    ctx: {
      clock,
      log: { info: log, warn: log, error: log },
      events: { node: () => undefined },
      node: { setCondition: () => undefined },
      pods: { active: () => [aPod({ name: "web" })], awaited: () => [], list: () => [], evict: () => evicted },
    } as never,
    logind,
    periods: [{ priority: 0, shutdownGracePeriodSeconds: 30 }],
    noted: (what) => noted.push(what),
  });
  running = manager.run(life.signal);
  await clock.advance(5_000);
  logind.prepare(true);
  await clock.advance(1_000);
});

test("one that is worked off has a start and an end", async () => {
  end();
  await clock.advance(1_000);
  expect([noted, logged, logind.held]).toEqual([["start", "end"], ["all pods of the group have ended"], 0]);
});

test("a group that is not ready in its time is reported, and the shutdown continues then", async () => {
  await clock.advance(30_000);
  expect([noted, logged, logind.held]).toEqual([["start", "end"], ["Shutdown manager pod killing time out"], 0]);
});

test.each([
  { name: "one that is called off", stop: () => logind.prepare(false) },
  { name: "one whose agent ends in the middle", stop: () => life.abort(new Error("stop")) },
])("$name ran into no time limit, and has no end", async ({ stop }) => {
  stop();
  await clock.advance(60_000);
  expect([noted, logged]).toEqual([["start"], []]);
});

test("a lock that comes after the connection has broken is let go: one alone holds the next shutdown up", async () => {
  end();
  await clock.advance(1_000);
  let come: () => void = () => undefined;
  logind.busy = new Promise((resolve) => {
    come = resolve;
  });
  logind.prepare(false);
  await clock.advance(100);
  logind.cut();
  await clock.advance(100);
  logind.busy = undefined;
  come();
  await clock.advance(10_000);
  expect(logind.held).toBe(1);
});

test("an agent that ends lets the shutdown continue", async () => {
  life.abort(new Error("stop"));
  await running;
  expect(logind.held).toBe(0);
});

/** Who is stopped when by an agent that comes in the middle of a shutdown: it knows what runs before it knows who wants it. */
import type { Pod } from "@hooklet/core";
import { aPod, VirtualClock } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { stopAll } from "../../src/stopper.js";

const periods = [
  { priority: 0, shutdownGracePeriodSeconds: 20 },
  { priority: 2_000_000_000, shutdownGracePeriodSeconds: 10 },
];
const web = aPod({ name: "web", uid: "web", spec: { terminationGracePeriodSeconds: 60 } });
const db = aPod({ name: "db", uid: "db", spec: { terminationGracePeriodSeconds: 5 } });
const dns = aPod({ name: "dns", uid: "dns", spec: { priority: 2_000_000_000, terminationGracePeriodSeconds: 60 } });

let clock: VirtualClock;
let active: Pod[];
let awaited: Pod[];
/** Known, and not let in yet; or refused. */
let pending: Pod[];
/** Pods that end for nobody. */
let stubborn: readonly Pod[];
/** `NAME at SECOND for GRACE`. */
let stopped: string[];
let logged: unknown[];
let life: AbortController;
let over: boolean;

beforeEach(() => {
  [clock, active, awaited, pending, stubborn, stopped, logged, life, over] = [
    new VirtualClock(),
    [],
    [],
    [],
    [],
    [],
    [],
    new AbortController(),
    false,
  ];
});

function begin(): void {
  const began = clock.monotonic();
  const evict = (uid: string, { gracePeriodSeconds }: { gracePeriodSeconds?: number }): Promise<void> => {
    stopped.push(`${uid} at ${Math.round((clock.monotonic() - began) / 1_000)} for ${gracePeriodSeconds}`);
    if (stubborn.some(({ metadata }) => metadata.uid === uid)) return new Promise(() => {});
    active = active.filter(({ metadata }) => metadata.uid !== uid);
    return Promise.resolve();
  };
  const list = (): readonly Pod[] => [...active, ...pending];
  const pods = { active: () => active, awaited: () => awaited, list, evict };
  const warn = (facts: unknown): unknown => logged.push(facts);
  void stopAll({ clock, log: { info: () => {}, warn }, pods, periods } as never, life.signal).then(() => {
    over = true;
  });
}

/** Its source speaks of it. */
function comes(pod: Pod): void {
  awaited = awaited.filter((one) => one !== pod);
  active = [...active, pod];
}

test("without pending pods a group that is done ends at once", async () => {
  active = [web, dns];
  begin();
  await clock.advance(100);
  expect([stopped, logged, over]).toEqual([["web at 0 for 20", "dns at 0 for 10"], [], true]);
});

test("a silent source costs the critical group none of its time, and pods that were not stopped are named", async () => {
  [active, awaited, stubborn] = [[db, dns], [web], [db, dns]];
  begin();
  await clock.advance(29_000);
  expect([stopped, over]).toEqual([["db at 0 for 5", "dns at 20 for 10"], false]);
  await clock.advance(1_500);
  expect([logged, over]).toEqual([[{ pod: "default/web" }], true]);
});

test("a pod whose source speaks meanwhile is stopped with what is left of its group's time", async () => {
  [active, awaited, stubborn] = [[db, dns], [web], [db]];
  begin();
  await clock.advance(4_950);
  comes(web);
  await clock.advance(1_000);
  expect(stopped).toEqual(["db at 0 for 5", "web at 5 for 15"]);
  await clock.advance(30_000);
  expect([stopped.at(-1), logged, over]).toEqual(["dns at 20 for 10", [], true]);
});

test("a pending pod of another group does not delay this one", async () => {
  [active, awaited] = [[web], [dns]];
  begin();
  await clock.advance(4_950);
  comes(dns);
  await clock.advance(1_000);
  expect([stopped, over]).toEqual([["web at 0 for 20", "dns at 5 for 5"], true]);
});

test("a pod that comes after its group's time goes with the next group", async () => {
  [active, awaited, stubborn] = [[db, dns], [web], [db]];
  begin();
  await clock.advance(15_000);
  comes(web);
  await clock.advance(20_000);
  expect([stopped.slice(1).sort(), logged, over]).toEqual([["dns at 20 for 10", "web at 20 for 10"], [], true]);
});

test("known pods do not wait for silent sources, and no pod does for longer than ten seconds in all", async () => {
  [active, awaited] = [
    [db, dns],
    [web, aPod({ name: "log", uid: "log", spec: { priority: 2_000_000_000 } })],
  ];
  begin();
  await clock.advance(11_000);
  expect([stopped, over]).toEqual([["db at 0 for 5", "dns at 10 for 10"], true]);
  expect(logged).toEqual([{ pod: "default/web" }, { pod: "default/log" }]);
});

test("a known pod that is not admitted yet is waited for, a rejected one is not", async () => {
  pending = [web, { ...db, status: { phase: "Failed" } }];
  begin();
  await clock.advance(1_950);
  pending = pending.slice(1);
  comes(web);
  await clock.advance(1_000);
  expect([stopped, logged, over]).toEqual([["web at 2 for 18"], [], true]);
});

test("a cancelled shutdown stops no later pod", async () => {
  awaited = [web];
  begin();
  await clock.advance(4_950);
  life.abort(new Error("called off"));
  comes(web);
  await clock.advance(60_000);
  expect([stopped, logged, over]).toEqual([[], [], true]);
});

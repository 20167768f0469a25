/** When an agent may act as its node. */
import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { NodeLease } from "../../../src/node/node-lease.js";

let clock: VirtualClock;
let nodeLease: NodeLease;
let reported: boolean[];

beforeEach(() => {
  clock = new VirtualClock();
  nodeLease = new NodeLease(clock, 40);
  reported = [];
  nodeLease.watch(() => reported.push(nodeLease.acts));
});

const state = () => ({ acts: nodeLease.acts, isNone: nodeLease.isNone, isLost: nodeLease.isLost });
const silent = () => clock.advance(40_000);

test("before it has claimed the node an agent may do nothing, and no other is known to have it", () => {
  expect(state()).toEqual({ acts: false, isNone: true, isLost: false });
});

test("it may act for as long as its lease lasts, counted from the moment at which the request began that was answered", async () => {
  await clock.advance(5_000);
  nodeLease.confirmed(0);
  await clock.advance(34_999);
  expect(nodeLease.acts).toBe(true);
  await clock.advance(1);
  expect(state()).toEqual({ acts: false, isNone: false, isLost: false });
});

test("an answer that comes late takes nothing from a newer one", async () => {
  await clock.advance(10_000);
  nodeLease.confirmed(10_000);
  nodeLease.confirmed(0);
  await clock.advance(39_000);
  expect(nodeLease.acts).toBe(true);
});

test("waiting work is resumed once when the node may act again, and not at each renewal", async () => {
  for (const began of [0, 10_000, 20_000]) {
    await clock.advance(began - clock.monotonic());
    nodeLease.confirmed(began);
  }
  expect(reported).toEqual([true]);
  await clock.advance(60_000);
  nodeLease.confirmed(clock.monotonic());
  expect(reported).toEqual([true, true]);
});

test("an answer older than the lease's duration proves nothing", async () => {
  await clock.advance(40_000);
  nodeLease.confirmed(0);
  expect([nodeLease.acts, reported]).toEqual([false, []]);
});

test("while another agent has taken the lease it may do nothing, and its reports are kept; once that agent is seen alive they are dropped", async () => {
  nodeLease.confirmed(0);
  await silent();
  nodeLease.doubted();
  expect(state()).toEqual({ acts: false, isNone: false, isLost: false });
  nodeLease.lost();
  expect(state()).toEqual({ acts: false, isNone: true, isLost: true });
  nodeLease.confirmed(clock.monotonic());
  expect(state()).toEqual({ acts: true, isNone: false, isLost: false });
  expect(reported).toEqual([true, false, true]);
});

test("an agent that was not silent does not lose the node: it may do nothing, and reports nothing, until the node is its own again", () => {
  nodeLease.confirmed(0);
  nodeLease.doubted();
  nodeLease.lost();
  expect([state(), nodeLease.isDisputed]).toEqual([{ acts: false, isNone: false, isLost: false }, true]);
  nodeLease.confirmed(0);
  expect([nodeLease.acts, nodeLease.isDisputed, reported]).toEqual([true, false, [true, false, true]]);
});

test("a machine that slept reads the lease first, though its monotonic clock stood still", async () => {
  nodeLease.confirmed(0);
  clock.jump(3_600_000);
  await clock.advance(1_000);
  expect(nodeLease.acts).toBe(false);
  nodeLease.confirmed(clock.monotonic());
  expect(nodeLease.acts).toBe(true);
});

test("a wall clock that is set back takes nothing, and lends nothing", async () => {
  nodeLease.confirmed(0);
  clock.jump(-3_600_000);
  await clock.advance(39_000);
  expect(nodeLease.acts).toBe(true);
  await clock.advance(1_000);
  expect(nodeLease.acts).toBe(false);
});

test.each<{ name: string; how: (one: NodeLease) => void }>([
  { name: "it is its own again", how: (one) => one.confirmed(clock.monotonic()) },
  { name: "another one is seen to live", how: (one) => one.lost() },
])("a report waits until $name", async ({ how }) => {
  nodeLease.confirmed(0);
  await clock.advance(50_000);
  let isKnown = false;
  void nodeLease.known(new AbortController().signal).then(() => {
    isKnown = true;
  });
  await clock.advance(100_000);
  expect(isKnown).toBe(false);
  how(nodeLease);
  await clock.settle();
  expect(isKnown).toBe(true);
});

test("an aborted wait is rejected", async () => {
  nodeLease.confirmed(0);
  nodeLease.doubted();
  const given = new AbortController();
  const waiting = nodeLease.known(given.signal);
  given.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});

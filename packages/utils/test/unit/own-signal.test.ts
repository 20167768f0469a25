import { getEventListeners } from "node:events";
import { expect, test } from "@jest/globals";
import { ownSignal } from "../../src/own-signal.js";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

test("it is aborted when the outer one is, with its reason", () => {
  const outer = new AbortController();
  const own = ownSignal(outer.signal);
  expect(own.signal.aborted).toBe(false);
  outer.abort("stop");
  expect([own.signal.aborted, own.signal.reason]).toEqual([true, "stop"]);
});

test("one that is asked for after the outer one was aborted is aborted", () => {
  const outer = new AbortController();
  const own = ownSignal(outer.signal);
  outer.abort("stop");
  expect([own.signal.aborted, own.signal.reason]).toEqual([true, "stop"]);
});

test.each([true, false])("it is aborted by itself, and the outer one is not; asked for before: %s", (before) => {
  const outer = new AbortController();
  const own = ownSignal(outer.signal);
  const seen = before ? own.signal : undefined;
  own.abort("late");
  own.abort("later");
  expect([own.signal.aborted, own.signal.reason, outer.signal.aborted]).toEqual([true, "late", false]);
  if (before) expect(own.signal).toBe(seen);
});

test("an unused one costs the outer one nothing, and a closed one leaves nothing there", () => {
  const outer = new AbortController();
  const own = ownSignal(outer.signal);
  expect(listeners(outer.signal)).toBe(0);
  const { signal } = own;
  expect(listeners(outer.signal)).toBe(1);
  own.close();
  expect(listeners(outer.signal)).toBe(0);
  outer.abort("stop");
  expect(signal.aborted).toBe(false);
});

test("one that is first read after the call has ended has the state of that time", () => {
  const outer = new AbortController();
  const stopped = ownSignal(outer.signal);
  const fine = ownSignal(outer.signal);
  fine.close();
  outer.abort("stop");
  stopped.close();
  expect([fine.signal.aborted, stopped.signal.aborted]).toEqual([false, true]);
  expect(listeners(outer.signal)).toBe(0);
});

test("many calls at once are no reason to warn of a leak", async () => {
  const outer = new AbortController();
  const warnings: Error[] = [];
  const hear = (warning: Error): void => void warnings.push(warning);
  process.on("warning", hear);
  const all = Array.from({ length: 50 }, () => ownSignal(outer.signal));
  for (const own of all) own.signal.throwIfAborted();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", hear);
  expect([listeners(outer.signal), warnings]).toEqual([50, []]);
});

test("without an outer one it is aborted by itself alone", () => {
  const own = ownSignal(undefined);
  expect(own.signal.aborted).toBe(false);
  own.abort("late");
  expect(own.signal.reason).toBe("late");
  own.close();
});

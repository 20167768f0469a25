import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import type { StatusReport } from "../../../src/sources/port.js";
import { StatusSink } from "../../../src/sources/status-hub.js";
import { aPod } from "../../pod/pods.js";

/** A source that is away until the test makes it available, and notes when it was asked for which pod. */
function away() {
  const clock = new VirtualClock();
  const here = { up: false, asked: [] as string[] };
  const began = clock.monotonic();
  const status = async ({ pod }: StatusReport): Promise<void> => {
    here.asked.push(`${pod.metadata.uid} after ${clock.monotonic() - began}`);
    if (!here.up) throw new Error("away");
  };
  const sink = new StatusSink({ name: "kube", status }, { clock, report: () => undefined });
  const tell = (uid: string): void => sink.tell({ pod: aPod({}, { uid }), final: false });
  return { clock, here, sink, tell };
}

test("a failed status waits longer each time; a source that is reachable again gets it at once, each pod once", async () => {
  const { clock, here, sink, tell } = away();
  tell("a");
  tell("b");
  await clock.advance(4_500);
  expect(here.asked).toEqual([
    "a after 0",
    "b after 0",
    "a after 1000",
    "b after 1000",
    "a after 3000",
    "b after 3000",
  ]);
  here.asked = [];
  here.up = true;
  sink.again();
  await clock.advance(60_000);
  expect(here.asked).toEqual(["a after 4500", "b after 4500"]);
});

test("a source that was called at once and fails again is retried, no more often than before", async () => {
  const { clock, here, sink, tell } = away();
  tell("a");
  await clock.advance(500);
  sink.again();
  await clock.advance(4_000);
  expect(here.asked).toEqual(["a after 0", "a after 500", "a after 2500"]);
});

test("a status under way, or taken, is not sent again", async () => {
  const { clock, here, sink, tell } = away();
  here.up = true;
  tell("a");
  sink.again();
  await clock.settle();
  sink.again();
  await clock.advance(60_000);
  expect(here.asked).toEqual(["a after 0"]);
});

test("it has settled once nothing is on its way: what failed and waits to be tried again is not", async () => {
  const { clock, here, sink, tell } = away();
  let settled = 0;
  const wait = (): void => void sink.settled()?.then(() => (settled += 1));
  expect(sink.settled()).toBeUndefined();
  tell("a");
  tell("b");
  wait();
  expect(settled).toBe(0);
  await clock.settle();
  expect([settled, sink.settled()]).toEqual([1, undefined]);
  here.up = true;
  sink.again();
  wait();
  await clock.settle();
  expect([settled, sink.settled()]).toEqual([2, undefined]);
});

test("waiting until it has settled ends when the source is stopped", async () => {
  const clock = new VirtualClock();
  const status = (): Promise<void> => new Promise(() => undefined);
  const sink = new StatusSink({ name: "kube", status }, { clock, report: () => undefined });
  sink.tell({ pod: aPod({}, { uid: "a" }), final: false });
  let settled = false;
  sink.settled()?.then(() => {
    settled = true;
  });
  sink.stop();
  await clock.settle();
  expect([settled, sink.settled()]).toEqual([true, undefined]);
});

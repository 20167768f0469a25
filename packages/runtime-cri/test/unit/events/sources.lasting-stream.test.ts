import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import type { EventPorts } from "../../../src/events/hub.js";
import { lastingStream } from "../../../src/events/sources.js";

interface Stream {
  readonly begun: number;
  readonly data: (message: object) => void;
  readonly ended: () => void;
  cancelled: boolean;
}

let clock: VirtualClock;
let reports: string[];
let streams: Stream[];
/** When it was asked whether the runtime answers, milliseconds since the start. */
let asked: number[];
let answer: () => Promise<object>;
let close: () => void;
beforeEach(() => {
  clock = new VirtualClock();
  [reports, streams, asked] = [[], [], []];
  answer = async () => ({});
  const began = clock.monotonic();
  const ports = {
    clock,
    client: {
      stream: (rpc: string, request: object, on: Pick<Stream, "data" | "ended">) => {
        const stream = { begun: clock.monotonic() - began, ...on, cancelled: false };
        streams.push(stream);
        expect([rpc, request]).toEqual(["GetContainerEvents", { a: 1 }]);
        return () => {
          stream.cancelled = true;
        };
      },
    },
    calls: {
      call: (rpc: string) => {
        asked.push(clock.monotonic() - began);
        expect(rpc).toBe("Status");
        return answer();
      },
    },
  } as unknown as EventPorts;
  close = lastingStream(
    ports,
    "GetContainerEvents",
    { a: 1 },
    {
      gap: () => void reports.push("gap"),
      away: (error) => void reports.push(String(error)),
      back: () => void reports.push("back"),
    },
    (message) => void reports.push(JSON.stringify(message)),
  );
});

const last = () => streams.at(-1) as Stream;
const refuse = () => Promise.reject(new Error("no containerd"));

test("a runtime that does not answer is reported once, and once more when it does again", async () => {
  last().ended();
  await clock.advance(10_000);
  expect(reports).toEqual(["gap"]);
  answer = refuse;
  last().ended();
  await clock.advance(10_000);
  expect(reports).toEqual(["gap", "Error: no containerd"]);
  answer = async () => ({});
  await clock.advance(10_000);
  expect(reports).toEqual(["gap", "Error: no containerd", "back", "gap"]);
});

test("what a stream brings is taken, also of the one that was opened again", async () => {
  last().data({ n: 1 });
  last().ended();
  await clock.advance(200);
  last().data({ n: 2 });
  expect(reports).toEqual(['{"n":1}', "gap", '{"n":2}']);
});

test("a stream that ends is opened again after 200 ms, and then after twice as long each time, up to 2 s", async () => {
  answer = refuse;
  last().ended();
  await clock.advance(200 + 400 + 800 + 1_600 + 2_000 + 2_000);
  expect(asked).toEqual([200, 600, 1_400, 3_000, 5_000, 7_000]);
  expect(streams).toHaveLength(1);
});

test("once the runtime has answered the pauses are short again", async () => {
  answer = refuse;
  last().ended();
  await clock.advance(600);
  answer = async () => ({});
  await clock.advance(800);
  last().ended();
  await clock.advance(200);
  expect(streams.map(({ begun }) => begun)).toEqual([0, 1_400, 1_600]);
});

test("closed, the stream ends and no other is opened", async () => {
  close();
  expect(last().cancelled).toBe(true);
  last().ended();
  await clock.advance(10_000);
  expect([streams.length, asked, clock.pending]).toEqual([1, [], 0]);
});

test("closed while it waits, or while the runtime is asked, nothing is opened or reported any more", async () => {
  last().ended();
  let settle: () => void = () => undefined;
  answer = () =>
    new Promise((_, reject) => {
      settle = () => reject(new Error("late"));
    });
  await clock.advance(200);
  close();
  settle();
  await clock.advance(10_000);
  expect([streams.length, reports, clock.pending]).toEqual([1, [], 0]);
});

test("the stream that was opened last is the one that ends", async () => {
  last().ended();
  await clock.advance(200);
  close();
  expect(streams.map(({ cancelled }) => cancelled)).toEqual([false, true]);
});

/** Output that may not be read holds up nothing. */
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { UnreadOutput } from "../../../src/run/unread.js";
import { type FakeIo, fakeIo } from "../../binary.js";

function terminal() {
  const clock = new VirtualClock({ start: 0 });
  const io = { ...fakeIo(), clock } as FakeIo;
  const blocking: string[] = [];
  for (const name of ["stdout", "stderr"] as const)
    Object.assign(io[name], { isTTY: true, _handle: { setBlocking: (on: boolean) => blocking.push(`${name} ${on}`) } });
  /** What is written from now on stays, until the reader reads. */
  const hold = () => {
    const waiting: (() => void)[] = [];
    io.stderr._write = (chunk: Buffer, _encoding: string, done: () => void) => {
      waiting.push(() => {
        io.stderr.text += chunk.toString();
        done();
      });
    };
    return () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
    };
  };
  return { io, clock, blocking, hold };
}

test("terminals are written to without waiting, and get their old way back at the end; a pipe stays as it is", async () => {
  const { io, blocking } = terminal();
  Object.assign(io.stdout, { isTTY: false });
  const output = new UnreadOutput(io);
  expect(blocking).toEqual(["stderr false"]);
  await output.end(3);
  expect(blocking).toEqual(["stderr false", "stderr true"]);
  expect(io.exits).toEqual([]);
});

test("of the log no more than a mebibyte waits for a reader; the lines that are lost are counted once it reads", async () => {
  const { io, hold } = terminal();
  const output = new UnreadOutput(io);
  const lost: number[] = [];
  output.tellLost = (lines) => lost.push(lines);
  const read = hold();
  const half = "x".repeat(512 * 1024);
  output.log(half);
  output.log(half);
  output.log("still taken");
  output.log("lost");
  output.log("lost");
  for (let turn = 0; turn < 5; turn++) {
    read();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(io.stderr.text).toBe(`${half}${half}still taken`);
  expect(lost).toEqual([2]);
  output.log("more");
  read();
  expect(io.stderr.text).toMatch(/still takenmore$/);
  expect(lost).toEqual([2]);
});

test("at the end a reader has two seconds; then the process ends with its code", async () => {
  const { io, clock, blocking, hold } = terminal();
  const output = new UnreadOutput(io);
  hold();
  output.log("unread");
  let over = false;
  const ended = output.end(3).then(() => {
    over = true;
  });
  await clock.advance(1_999);
  expect([over, io.exits]).toEqual([false, []]);
  await clock.advance(1);
  await ended;
  expect(io.exits).toEqual([3]);
  expect(blocking).not.toContain("stderr true");
});

test("what a reader reads in time ends nothing", async () => {
  const { io, clock, hold } = terminal();
  const output = new UnreadOutput(io);
  const read = hold();
  output.log("read");
  const ended = output.end(3);
  await clock.advance(1_000);
  read();
  await new Promise((resolve) => setImmediate(resolve));
  read();
  await ended;
  expect([io.exits, io.stderr.text, io.stderr.listenerCount("drain")]).toEqual([[], "read", 0]);
});

import { MAX_WAITING_BYTES } from "@hooklet/streams/channels";
import { expect, test } from "@jest/globals";
import { lineStream } from "../../src/stream-pool.js";

test("an empty line goes first, then a line for each value; each is counted", async () => {
  let sent = 0;
  const stream = lineStream(() => {
    sent += 1;
  });
  expect([sent, stream.closed, stream.full]).toEqual([1, false, false]);
  stream.send({ a: 1 });
  stream.send("b");
  stream.end();
  stream.send("late");
  expect([sent, stream.closed]).toEqual([3, true]);
  const chunks: Buffer[] = [];
  for await (const chunk of stream.readable) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe('\n{"a":1}\n"b"\n');
});

test("a reader that is behind is waited for, until it reads", async () => {
  const stream = lineStream();
  stream.send("x".repeat(128 * 1024));
  expect([stream.full, stream.signal.aborted]).toEqual([true, false]);
  const drained = stream.drained();
  stream.readable.resume();
  await drained;
  expect(stream.full).toBe(false);
  stream.end();
});

test("a reader that does not keep up is disconnected", async () => {
  const stream = lineStream();
  stream.send("x".repeat(MAX_WAITING_BYTES - 1024));
  expect(stream.closed).toBe(false);
  stream.send("x".repeat(2048));
  expect([stream.closed, stream.full]).toEqual([true, false]);
  await new Promise((resolve) => stream.readable.once("close", resolve));
  expect(stream.signal.aborted).toBe(true);
  expect(() => stream.send("late")).not.toThrow();
});

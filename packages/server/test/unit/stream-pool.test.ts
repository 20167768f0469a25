/** How many streams an endpoint has at once, and how long each. */
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../sim/src/clock/virtual-clock.js";
import { byteStream, StreamPool } from "../../src/stream-pool.js";

const LIMITS = { atOnce: 2, idle: 1_000, total: 5_000 };

function pool() {
  const clock = new VirtualClock();
  return { clock, streams: new StreamPool(LIMITS, clock) };
}

/** What was sent, once the stream has ended; it has ended for good then. */
async function read(stream: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk;
  await new Promise((resolve) => setImmediate(resolve));
  return text;
}

test("a stream too many is refused as busy, with the number; one that ends makes room", async () => {
  const { streams, clock } = pool();
  const [first] = [streams.open(), streams.open()];
  expect(() => streams.open()).toThrow(
    expect.objectContaining({
      code: "BUSY",
      message: "2 streams are open here: expected fewer. End one of them, or ask again later.",
    }),
  );
  first.end();
  await read(first.readable);
  streams.open();
  expect(() => streams.slot()).toThrow("2 streams are open here");
  expect(clock.pending).toBe(4);
});

test("what was requested and never held takes no place", () => {
  const { streams } = pool();
  for (let time = 0; time < 5; time += 1) streams.slot();
  expect(() => streams.open()).not.toThrow();
});

test("a stream in which nothing is sent for the idle time ends; each value restarts that time, and no timer is left", async () => {
  const { streams, clock } = pool();
  const stream = streams.open();
  await clock.advance(999);
  stream.send("a");
  await clock.advance(999);
  expect(stream.closed).toBe(false);
  await clock.advance(1);
  expect(stream.closed).toBe(true);
  expect(await read(stream.readable)).toBe('\n"a"\n');
  expect(clock.pending).toBe(0);
});

test("a stream ends after its whole time, however much is sent", async () => {
  const { streams, clock } = pool();
  const stream = streams.open();
  stream.readable.resume();
  for (let sent = 0; sent < 9; sent += 1) {
    await clock.advance(500);
    stream.send(sent);
  }
  expect(stream.closed).toBe(false);
  await clock.advance(500);
  expect(stream.closed).toBe(true);
});

test.each([
  ["idle", 1_000, 0],
  ["whole", 5_000, 10],
])(
  "its %s time over, a stream ends as it chose: it stays open for its last values",
  async (_, milliseconds, values) => {
    const { streams, clock } = pool();
    let ends = 0;
    const stream = streams.open(() => {
      ends += 1;
    });
    stream.readable.resume();
    for (let sent = 0; sent < values; sent += 1) {
      await clock.advance(milliseconds / values - 1);
      stream.send(sent);
    }
    await clock.advance(values === 0 ? milliseconds - 1 : values - 1);
    expect(ends).toBe(0);
    await clock.advance(1);
    expect([ends, stream.closed]).toEqual([1, false]);
  },
);

test("a stream that has ended is not ended once more", async () => {
  const { streams, clock } = pool();
  let ends = 0;
  const stream = streams.open(() => {
    ends += 1;
  });
  stream.end();
  await read(stream.readable);
  await clock.advance(LIMITS.total);
  expect([ends, clock.pending]).toEqual([0, 0]);
});

test.each<[limit: number | undefined, text: string, pieces: number]>([
  [undefined, "abcdefghi", 3],
  [9, "abcdefghi", 3],
  [6, "abcdef", 2],
  [5, "abcde", 2],
  [3, "abc", 1],
  [1, "a", 1],
])("of three pieces of three bytes, %p bytes at most: %s in %d", async (limit, text, pieces) => {
  let sent = 0;
  const stream = byteStream(limit, () => {
    sent += 1;
  });
  for (const piece of ["abc", "def", "ghi"]) stream.send(Buffer.from(piece));
  expect(stream.signal.aborted).toBe(limit !== undefined);
  stream.end();
  stream.send(Buffer.from("late"));
  expect(await read(stream.readable)).toBe(text);
  expect([sent, stream.signal.aborted]).toEqual([pieces, true]);
});

test("a reader of bytes that goes away is no error, and nothing more is sent to it", async () => {
  let sent = 0;
  const stream = byteStream(undefined, () => {
    sent += 1;
  });
  stream.readable.destroy(new Error("gone"));
  stream.send(Buffer.from("late"));
  await stream.drained();
  await new Promise((resolve) => setImmediate(resolve));
  expect([sent, stream.signal.aborted]).toEqual([0, true]);
});

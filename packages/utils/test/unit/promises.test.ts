/** How much work runs at once, and what a writer waits for. */
import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { Semaphore, untilDrained } from "../../src/promises.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("as much work as the limit runs at once, the rest in order; work that fails makes room too", async () => {
  const semaphore = new Semaphore(2);
  const begun: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const all = ["a", "b", "c", "d"].map((name) =>
    semaphore.run(
      () =>
        new Promise<string>((resolve, reject) => {
          begun.push(name);
          ends.push((error) => (error === undefined ? resolve(name) : reject(error)));
        }),
    ),
  );
  await turn();
  expect(begun).toEqual(["a", "b"]);
  ends[1]?.(new Error("no"));
  await expect(all[1]).rejects.toThrow("no");
  await turn();
  expect(begun).toEqual(["a", "b", "c"]);
  ends[0]?.();
  ends[2]?.();
  await turn();
  ends[3]?.();
  expect(await Promise.all([all[0], all[2], all[3]])).toEqual(["a", "c", "d"]);
});

test("places that are free again are as many as before", async () => {
  const semaphore = new Semaphore(1);
  await semaphore.run(async () => undefined);
  const begun: string[] = [];
  void semaphore.run(() => new Promise(() => begun.push("a")));
  void semaphore.run(async () => begun.push("b"));
  await turn();
  expect(begun).toEqual(["a"]);
});

/** A stream of so many bytes of room, with "abcd" written to it; whether a writer still waits. */
function written(highWaterMark: number) {
  const stream = new PassThrough({ highWaterMark });
  for (const text of ["ab", "cd"]) stream.write(text);
  let waits = true;
  const wait = (): void => {
    void untilDrained(stream).then(() => {
      waits = false;
    });
  };
  const waiting = async (): Promise<boolean> => {
    await turn();
    return waits;
  };
  return { stream, wait, waiting };
}

test.each([
  ["a reader takes what was written", (stream: PassThrough) => void stream.resume()],
  ["the stream is gone", (stream: PassThrough) => void stream.destroy()],
])("a writer waits until %s, and leaves no listener", async (_name, end) => {
  const { stream, wait, waiting } = written(1);
  const before = [stream.listenerCount("drain"), stream.listenerCount("close")];
  wait();
  expect(await waiting()).toBe(true);
  end(stream);
  expect(await waiting()).toBe(false);
  expect([stream.listenerCount("drain"), stream.listenerCount("close")]).toEqual(before);
});

test("a writer with room, or whose stream is gone before, does not wait", async () => {
  const room = written(1_000);
  room.wait();
  expect(await room.waiting()).toBe(false);
  const gone = written(1);
  gone.stream.destroy();
  await turn();
  gone.wait();
  expect(await gone.waiting()).toBe(false);
});

import { expect, test } from "@jest/globals";
import { unlessAborted } from "../../src/promises.js";

const never = new Promise<string>(() => {});

test("work that ends before the signal aborts settles as it does", async () => {
  const { signal } = new AbortController();
  await expect(unlessAborted(signal, Promise.resolve("done"))).resolves.toBe("done");
  await expect(unlessAborted(signal, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

test.each([
  { name: "while the work goes on", before: false },
  { name: "before it began", before: true },
])("a signal that aborts $name rejects with its reason", async ({ before }) => {
  const stop = new AbortController();
  if (before) stop.abort(new Error("enough"));
  const work = unlessAborted(stop.signal, never);
  stop.abort(new Error("enough"));
  await expect(work).rejects.toThrow("enough");
});

test("work that fails after the signal aborted fails unseen", async () => {
  const stop = new AbortController();
  let fail: (error: Error) => void = () => undefined;
  const work = unlessAborted(
    stop.signal,
    new Promise<void>((_, reject) => {
      fail = reject;
    }),
  );
  stop.abort(new Error("enough"));
  fail(new Error("too late"));
  await expect(work).rejects.toThrow("enough");
});

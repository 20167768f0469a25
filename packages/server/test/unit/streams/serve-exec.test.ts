/** Many clients of commands at once. */
import { systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { type ExecChannels, serveExec } from "../../../src/streams/serve-exec.js";

function channels(closed: AbortSignal): ExecChannels {
  return {
    closed,
    full: false,
    send: () => true,
    drained: async () => undefined,
    messages: async function* () {
      await new Promise(() => undefined);
    },
    end: () => undefined,
  };
}

const never = async () => ({
  exitCode: new Promise<number>(() => undefined),
  write: () => undefined,
  endInput: () => undefined,
  resize: () => undefined,
  abort: () => undefined,
});

test("of 200 commands that are asked for at once one is started in each turn of the event loop", async () => {
  let started = 0;
  for (let client = 0; client < 200; client += 1) {
    void serveExec(channels(new AbortController().signal), systemClock, () => {
      started += 1;
      return never();
    });
  }
  let turns = 0;
  for (let before = 0; started < 200; before = started, turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(started - before).toBeLessThanOrEqual(1);
  }
  expect(turns).toBeGreaterThanOrEqual(199);
});

test("a client that has left before its turn has no command started", async () => {
  const left = new AbortController();
  let started = 0;
  const all = Array.from({ length: 200 }, () =>
    serveExec(channels(left.signal), systemClock, () => {
      started += 1;
      return never();
    }),
  );
  left.abort();
  await Promise.all(all);
  expect(started).toBe(0);
});

import { expect, test } from "@jest/globals";
import { type NodeStatistics, parseThresholdConfig } from "../../src/internal.js";
import { MemoryWatch } from "../../src/memory-watch.js";
import { memory, noSettings } from "./pods.js";

const thresholds = parseThresholdConfig({ ...noSettings, evictionHard: { "memory.available": "100Mi" } });

function watched(read: () => NodeStatistics) {
  const seen = { now: 0, reads: 0, rounds: 0 };
  const watch = new MemoryWatch({
    clock: { monotonic: () => seen.now },
    thresholds: () => thresholds,
    read: () => {
      seen.reads += 1;
      return read();
    },
    crossed() {
      seen.rounds += 1;
    },
  });
  /** Looks every 100 ms. @returns how many looks failed */
  const look = (times: number): number => {
    let failed = 0;
    for (let one = 0; one < times; one++, seen.now += 100) {
      try {
        watch.look();
      } catch {
        failed += 1;
      }
    }
    return failed;
  };
  return { seen, look };
}

test("a crossed threshold asks for a round at once", () => {
  const { seen, look } = watched(() => memory("50Mi"));
  look(1);
  expect(seen.rounds).toBe(1);
});

test("unreadable memory is reported, and read once a second, not at every check", () => {
  const { seen, look } = watched(() => {
    throw new Error("EACCES");
  });
  expect(look(30)).toBe(3);
  expect(seen).toMatchObject({ reads: 3, rounds: 0 });
});

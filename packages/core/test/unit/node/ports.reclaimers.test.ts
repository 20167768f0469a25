import { getEventListeners } from "node:events";
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { Reclaimers } from "../../../src/node/ports.js";
import type { ReclaimOffer } from "../../../src/plugin/contract/node.js";

const never = new AbortController().signal;
const offerOf = (name: string, order: number, more: Partial<ReclaimOffer> = {}): ReclaimOffer =>
  ({ name, frees: "image", order, reclaim: async () => ({ freedBytes: 1 }), ...more }) as ReclaimOffer;

function reclaimers(stopped = never) {
  const clock = new VirtualClock();
  return { clock, all: new Reclaimers(clock, stopped) };
}

test("offers are listed by their order, equal ones as they came; a later one of a name replaces the earlier", () => {
  const { all } = reclaimers();
  all.offer("a", offerOf("logs", 2));
  all.offer("b", offerOf("logs", 2, { frees: "container" }));
  all.offer("b", offerOf("images", 1));
  all.offer("a", offerOf("logs", 2, { frees: "container" }));
  expect(all.list("me").map(({ plugin, name, frees, order }) => [plugin, name, frees, order])).toEqual([
    ["b", "images", "image", 1],
    ["a", "logs", "container", 2],
    ["b", "logs", "container", 2],
  ]);
});

test.each<[object, string]>([
  [{ frees: "memory" }, 'offerReclaim: frees: expected image or container, found "memory".'],
  [{ order: Number.NaN }, "offerReclaim: order: expected a number, found "],
  [{ order: Number.POSITIVE_INFINITY }, "offerReclaim: order: expected a number, found "],
])("an offer of %j is refused", (more, message) => {
  const { all } = reclaimers();
  expect(() => all.offer("a", offerOf("logs", 1, more))).toThrow(message);
  expect(all.list("me")).toEqual([]);
});

test("what is asked for is done, and the plugin that asks is named", async () => {
  const { all } = reclaimers();
  const asked: unknown[] = [];
  all.offer(
    "a",
    offerOf("logs", 1, { reclaim: (async (_signal: AbortSignal, by: string) => asked.push(by)) as never }),
  );
  await all.list("me")[0]?.reclaim(never);
  expect(asked).toEqual(["me"]);
});

test("an offer that fails rejects, and its signal ends", async () => {
  const { all } = reclaimers();
  let signal: AbortSignal | undefined;
  const reclaim = async (given: AbortSignal): Promise<never> => {
    signal = given;
    throw new Error("no");
  };
  all.offer("a", offerOf("logs", 1, { reclaim }));
  await expect(all.list("me")[0]?.reclaim(never)).rejects.toThrow("no");
  expect(signal?.aborted).toBe(true);
});

test("one that heeds no signal ends after two minutes, with the request, or with the agent", async () => {
  const stop = new AbortController();
  const { clock, all } = reclaimers(stop.signal);
  all.offer("a", offerOf("logs", 1, { reclaim: () => new Promise(() => undefined) }));
  const reclaim = all.list("me")[0]?.reclaim ?? (() => undefined);
  const late = expect(reclaim(never)).rejects.toThrow(
    'Plugin "a" did not free logs: expected within 120 s, still busy',
  );
  await clock.advance(120_000);
  await late;
  const leaves = new AbortController();
  const left = expect(reclaim(leaves.signal)).rejects.toThrow("left");
  leaves.abort(new Error("left"));
  await left;
  const ended = expect(reclaim(never)).rejects.toThrow("stopped");
  stop.abort(new Error("stopped"));
  await ended;
  await expect(reclaim(never)).rejects.toThrow("stopped");
});

test("what takes too long is named with its plugin", async () => {
  const { clock, all } = reclaimers();
  all.offer("a", offerOf("logs", 1, { reclaim: () => new Promise(() => {}) }));
  const late = expect(all.list("me")[0]?.reclaim(never)).rejects.toMatchObject({
    code: "HOST_UNAVAILABLE",
    plugin: "a",
    message: 'Plugin "a" did not free logs: expected within 120 s, still busy.',
  });
  await clock.advance(120_000);
  await late;
});

test("when it is over nothing listens any more to the signals that may stop it", async () => {
  const { all } = reclaimers();
  let signal: AbortSignal | undefined;
  const reclaim = async (given: AbortSignal): Promise<void> => {
    signal = given;
  };
  all.offer("a", offerOf("logs", 1, { reclaim: reclaim as never }));
  await all.list("me")[0]?.reclaim(never);
  expect(getEventListeners(signal as AbortSignal, "abort")).toEqual([]);
  expect(signal?.aborted).toBe(false);
});

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { RankedSlots } from "../../src/ranked-slots.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A piece of work that ends on command. */
function work(): { run(): Promise<void>; end(): void } {
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: () => over, end };
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

test("an aborted caller is not kept while others wait, nor what it holds", async () => {
  const slots = new RankedSlots(1);
  const first = work();
  const all = [slots.run([0], first.run), slots.run([0], async () => undefined)];
  const giveUp = async (): Promise<WeakRef<object>> => {
    const given = new AbortController();
    const gone = slots.run([0], async () => undefined, given.signal);
    given.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    return new WeakRef(given.signal);
  };
  const asked: WeakRef<object>[] = [];
  for (let at = 0; at < 10; at += 1) asked.push(await giveUp());
  const held = () => asked.filter((one) => one.deref() !== undefined);
  // One collection need not find all.
  for (let tries = 0; tries < 20 && held().length > 0; tries += 1) {
    await turn();
    collect();
  }
  expect(held()).toHaveLength(0);
  first.end();
  await Promise.all(all);
});

describe("of those that wait", () => {
  test("the lowest rank goes first, compared from the left, equals in order of asking", async () => {
    const slots = new RankedSlots(1);
    const order: string[] = [];
    const first = work();
    const all = [slots.run([0], first.run)];
    const ask = (name: string, rank: readonly number[]) => all.push(slots.run(rank, async () => void order.push(name)));
    ask("ordinary sandbox", [1, 0, 2]);
    ask("ordinary start", [1, 0, 0]);
    ask("critical sandbox", [0, 0, 2]);
    ask("another ordinary start", [1, 0, 0]);
    ask("ordinary sandbox of high priority", [1, -100, 2]);
    await turn();
    first.end();
    await Promise.all(all);
    expect(order).toEqual([
      "critical sandbox",
      "ordinary sandbox of high priority",
      "ordinary start",
      "another ordinary start",
      "ordinary sandbox",
    ]);
  });

  test("an aborted caller leaves the queue with the signal's reason, and its slot goes to the next", async () => {
    const slots = new RankedSlots(1);
    const first = work();
    const stop = new AbortController();
    const ran: string[] = [];
    const busy = slots.run([0], first.run);
    const left = slots.run([0], async () => void ran.push("left"), stop.signal);
    const next = slots.run([1], async () => "next");
    stop.abort(new Error("the pod is being stopped"));
    await expect(left).rejects.toThrow("the pod is being stopped");
    first.end();
    await busy;
    expect(await next).toBe("next");
    expect(ran).toEqual([]);
  });

  test("work that fails gives its slot back", async () => {
    const slots = new RankedSlots(1);
    await expect(slots.run([0], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await slots.run([0], async () => "ran")).toBe("ran");
  });
});

describe("a crowd on an idle node", () => {
  test("the first goes alone, each end opens one more slot, and all is as before once nothing runs", async () => {
    const slots = new RankedSlots(3, { opening: 1 });
    const crowd = async (): Promise<readonly number[]> => {
      const works = Array.from({ length: 8 }, work);
      let running = 0;
      const atOnce: number[] = [];
      const begin = (run: () => Promise<void>): Promise<void> => {
        running++;
        return run();
      };
      const all = works.map(({ run }) => slots.run([0], () => begin(run)));
      for (const { end } of works) {
        await turn();
        atOnce.push(running);
        running--;
        end();
      }
      await Promise.all(all);
      return atOnce;
    };
    expect(await crowd()).toEqual([1, 2, 3, 3, 3, 3, 2, 1]);
    expect(await crowd()).toEqual([1, 2, 3, 3, 3, 3, 2, 1]);
  });
});

const asks = fc.array(fc.record({ rank: fc.tuple(fc.integer({ min: -2, max: 2 }), fc.nat(2)), leaves: fc.boolean() }), {
  maxLength: 200,
});

describe("for any requests", () => {
  test("never more than the limit run at once, aborted ones never run, and all others run once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), asks, async (limit, list) => {
        const slots = new RankedSlots(limit);
        const ran: number[] = [];
        const left: number[] = [];
        let running = 0;
        const all = list.map(async ({ rank, leaves }, i) => {
          const stop = new AbortController();
          const mine = slots.run(
            rank,
            async () => {
              running++;
              expect(running).toBeLessThanOrEqual(limit);
              await turn();
              running--;
              ran.push(i);
            },
            stop.signal,
          );
          if (leaves) stop.abort(new Error("left"));
          await mine.catch(() => left.push(i));
        });
        await Promise.all(all);
        expect([...ran, ...left].sort((a, b) => a - b)).toEqual(list.map((_, i) => i));
        for (const i of left) expect(list[i]?.leaves).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("no caller starves: behind n others it is served within patience * (n + 1), though better ranks never end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 20 }), fc.nat(20), async (patience, before) => {
        const slots = new RankedSlots(1, { patience });
        let served = 0;
        let ends = false;
        let mine = Number.POSITIVE_INFINITY;
        // Each piece of work asks for the next one before it ends, so that work of rank 0 always waits.
        const flood = (): void => {
          if (ends) return;
          void slots.run([0], async () => {
            served++;
            flood();
          });
        };
        flood();
        flood();
        for (let i = 0; i < before; i++) void slots.run([9], async () => void served++);
        const waiting = slots.run([9], async () => {
          mine = served;
        });
        await waiting;
        ends = true;
        await turn();
        expect(mine).toBeLessThanOrEqual(patience * (before + 3));
      }),
      { numRuns: 40 },
    );
  });
});

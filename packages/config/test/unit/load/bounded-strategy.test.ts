import { describe, expect, test } from "@jest/globals";
import { boundedStrategy } from "../../../src/load/bounded-strategy.js";

const LIMIT = 50;
const forEver = (): never => {
  for (;;);
};

describe("a strategy of others", () => {
  test("that does not return is interrupted, with an error", () => {
    const hangs = boundedStrategy(forEver, LIMIT) as () => never;
    expect(hangs).toThrow("it did not come back within 50 ms");
    expect(hangs).toThrow("it did not come back within 50 ms");
  });

  test("that had no processor for the time is asked again: its answer counts", () => {
    const stood = new Int32Array(new SharedArrayBuffer(4));
    let asked = 0;
    const starved = boundedStrategy(() => {
      asked += 1;
      // Sleeps without a processor, as whatever runs on a machine that stands still.
      if (asked < 3) Atomics.wait(stood, 0, 0, 20 * LIMIT);
      return "answer";
    }, 6 * LIMIT) as () => string;
    expect([starved(), asked]).toEqual(["answer", 3]);
  });

  test("that waits each time is broken off as well", () => {
    const stood = new Int32Array(new SharedArrayBuffer(4));
    const waits = boundedStrategy(() => Atomics.wait(stood, 0, 0, 20 * LIMIT), LIMIT) as () => unknown;
    expect(waits).toThrow("it did not come back within 50 ms");
  });

  test("with a method that does not come back answers by its others", () => {
    class Half {
      #answer = 7;
      hangs = forEver;
      answers(more: number): number {
        return this.#answer + more;
      }
    }
    const half = boundedStrategy(new Half(), LIMIT) as Half;
    expect(half.hangs).toThrow("it did not come back");
    expect(half.answers(1)).toBe(8);
  });

  test("has the methods of the class above its own as well", () => {
    class Above {
      pick(): string {
        return "above";
      }
    }
    const below = boundedStrategy(new (class extends Above {})(), LIMIT) as Above;
    expect(Object.keys(below)).toEqual(["pick"]);
    expect(below.pick()).toBe("above");
  });

  test("is called as it was: arguments, this, answer and what it throws are the same", () => {
    const boom = new RangeError("boom");
    const list: readonly number[] = [1, 2];
    const strategy = boundedStrategy(function (this: unknown, ...args: unknown[]) {
      if (args.length === 0) throw boom;
      return [this, args[0]];
    }) as (...args: unknown[]) => unknown[];
    const [self, first] = strategy.call("self", list);
    expect([String(self), first === list]).toEqual(["self", true]);
    let thrown: unknown;
    try {
      strategy();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBe(boom);
  });

  test("may call itself", () => {
    const countdown: { value?: (n: number) => number } = {};
    countdown.value = boundedStrategy((n: number) => (n === 0 ? 0 : 1 + (countdown.value?.(n - 1) ?? 0))) as (
      n: number,
    ) => number;
    expect(countdown.value(3)).toBe(3);
  });

  test("that calls another one which does not return continues when that one is interrupted", () => {
    const hangs = boundedStrategy(forEver, LIMIT) as () => never;
    const asks = boundedStrategy((word: string) => {
      try {
        return hangs();
      } catch (error) {
        return `${word}: ${(error as Error).message}`;
      }
    }, 20 * LIMIT) as (word: string) => string;
    expect(asks("other")).toBe("other: it did not come back within 50 ms");
    expect(asks("again")).toBe("again: it did not come back within 50 ms");
  });

  test("its accessors are left alone until they are used, and then are its own", () => {
    let asked = 0;
    class Counts {
      #count = 1;
      get count(): number {
        asked += 1;
        return this.#count;
      }
      set count(value: number) {
        this.#count = value;
      }
      pick(): number {
        return this.#count;
      }
    }
    const own = new Counts();
    const counts = boundedStrategy(own, LIMIT) as Counts;
    expect(asked).toBe(0);
    counts.count = 5;
    expect([counts.count, counts.pick(), own.count]).toEqual([5, 5, 5]);
  });

  test("its data can be read", () => {
    expect((boundedStrategy({ label: "mine", pick() {} }) as { label: string }).label).toBe("mine");
  });
});

test("what a strategy does not list of itself is not listed of the bounded one", () => {
  const strategy = Object.defineProperty({ shown: 1 }, "hidden", { value: 2, enumerable: false });
  const bounded = boundedStrategy(strategy, LIMIT) as typeof strategy & { readonly hidden: number };
  expect([Object.keys(bounded), bounded.hidden]).toEqual([["shown"], 2]);
});

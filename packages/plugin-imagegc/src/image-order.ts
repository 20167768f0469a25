/** Strategies of option `order`, and the check of a strategy's answer. Pure. */
import type { StrategyTable } from "@hooklet/core";
import { thrownText } from "@hooklet/core/subsystem";
import { elapsed, type ImageRecord } from "./images/image-records.js";

export interface OrderInput {
  /** The images that may be removed, in the kubelet's order. The list is a copy that the strategy can sort; the images are frozen. */
  readonly candidates: readonly ImageRecord[];
  /** Milliseconds since 1970, as all times of the images. */
  readonly now: number;
}

/**
 * Says in which order images go, first to last. Pure. The answer is checked: it must hold each candidate once; otherwise the
 * kubelet's order is used and an event tells.
 */
export type OrderStrategy = (input: OrderInput) => readonly Pick<ImageRecord, "key">[];

/** By last use, then by first detection: the order in which the kubelet's candidates come. */
export const lru: OrderStrategy = ({ candidates }) => candidates;

/** By size, so that few images go; equals as `lru` has them. */
export const largestFirst: OrderStrategy = ({ candidates }) => [...candidates].sort((a, b) => b.size - a.size);

/**
 * By time without use times size: a large image goes before a small one that is unused a little longer. What was never used
 * counts from its first detection; equals as `lru` has them.
 */
export const lruSizeWeighted: OrderStrategy = ({ candidates, now }) => {
  const weights = new Map(candidates.map((image) => [image, weight(image, now)]));
  const of = (image: ImageRecord): number => weights.get(image) ?? 0;
  return [...candidates].sort((a, b) => (of(a) === of(b) ? 0 : of(b) - of(a)));
};

function weight({ lastUsed, firstDetected, size }: ImageRecord, now: number): number {
  const unused = Math.max(0, elapsed(lastUsed ?? firstDetected, now));
  return size === 0 ? 0 : unused * size;
}

const entry = (description: string, strategy: OrderStrategy): StrategyTable<OrderStrategy>[string] => ({
  description,
  options: (z) => z.strictObject({}),
  create: () => strategy,
});

/** The strategies of option `order`; the first is the default. */
export const orderStrategies: StrategyTable<OrderStrategy> = {
  lru: entry("By last use, then by first detection, as the kubelet", lru),
  "largest-first": entry("The largest images first, so that few go", largestFirst),
  "lru-size-weighted": entry("By time without use times size", lruSizeWeighted),
};

export interface Ordered {
  readonly candidates: readonly ImageRecord[];
  /** Why the strategy's answer was not used. */
  readonly fault?: string;
}

/** The candidates in the strategy's order, or as they came when it throws or gives no permutation of them. */
export function inOrder(strategy: OrderStrategy, input: OrderInput): Ordered {
  const { candidates } = input;
  if (strategy === lru) return { candidates };
  try {
    // What a strategy wrote into them, another id say, the round would work with.
    for (const image of candidates) {
      Object.freeze(image);
      Object.freeze(image.names);
    }
    const answer: unknown = strategy({ ...input, candidates: [...candidates] });
    const left = new Map(candidates.map((image) => [image.key, image]));
    const ordered: ImageRecord[] = [];
    const fault = (found: string): Ordered => ({ candidates, fault: `expected each candidate once, found ${found}` });
    if (answer instanceof Promise) return fault("a promise");
    if (!Array.isArray(answer)) return fault(answer === null ? "null" : typeof answer);
    for (const one of answer as readonly ({ readonly key?: unknown } | null | undefined)[]) {
      const image = left.get(one?.key as string);
      if (image === undefined)
        return fault(`${JSON.stringify(one?.key) ?? "an image without key"}, no candidate or twice`);
      left.delete(image.key);
      ordered.push(image);
    }
    const [missing] = left.values();
    return missing === undefined ? { candidates: ordered } : fault(`${left.size} missing, among them ${missing.key}`);
  } catch (error) {
    return { candidates, fault: `it failed: ${thrownText(error)}` };
  }
}

/** What is wrong with a strategy's answer; undefined when it may be used. For tests of your own strategy. */
export function orderFault(answer: unknown, input: OrderInput): string | undefined {
  return inOrder(() => answer as ReturnType<OrderStrategy>, input).fault;
}

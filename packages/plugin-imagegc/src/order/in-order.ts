/** Asks a strategy and checks its answer. Pure. */
import type { ImageRecord } from "../images/record.js";
import { lru } from "./lru.js";
import type { OrderInput, OrderStrategy } from "./strategy.js";

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
    return { candidates, fault: `it failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

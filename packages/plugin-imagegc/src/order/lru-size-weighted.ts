/** Pure. */
import { elapsed, type ImageRecord } from "../images/record.js";
import type { OrderStrategy } from "./strategy.js";

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

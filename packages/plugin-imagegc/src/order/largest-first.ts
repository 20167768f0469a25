/** Pure. */
import type { OrderStrategy } from "./strategy.js";

/** By size, so that few images go; equals as `lru` has them. */
export const largestFirst: OrderStrategy = ({ candidates }) => [...candidates].sort((a, b) => b.size - a.size);

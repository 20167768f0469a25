/** Pure. */
import type { RankingStrategy } from "../strategy.js";

/** Who uses most goes first, whatever it asked for; pods without statistics last. */
export const largestUsage: RankingStrategy = ({ candidates }) =>
  [...candidates].sort((a, b) => Number(b.known) - Number(a.known) || b.usage - a.usage || a.priority - b.priority);

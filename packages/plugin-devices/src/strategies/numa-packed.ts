/** Pure. */

import { byNode, countByNode, ranks } from "./by-node.js";
import type { AllocationStrategy } from "./strategy.js";

/**
 * As few NUMA nodes as can be: first the nodes on which the container has devices already, then the fullest node that
 * holds all that is missing, so that large holes stay for large requests; where no single one does, the emptiest first.
 */
export const numaPacked: AllocationStrategy = (input) => {
  const { size, mustInclude } = input;
  const chosen = new Set(mustInclude);
  for (const rank of ranks(input)) {
    const nodes = byNode(rank);
    while (chosen.size < size && nodes.size > 0) {
      const has = countByNode(input, chosen);
      const missing = size - chosen.size;
      const [node, ids] = [...nodes].sort(([a, free], [b, other]) => {
        const own = (has.get(b) ?? 0) - (has.get(a) ?? 0);
        if (own !== 0) return own;
        const [fits, otherFits] = [free.length >= missing, other.length >= missing];
        if (fits !== otherFits) return fits ? -1 : 1;
        return (fits ? free.length - other.length : other.length - free.length) || a - b;
      })[0] as [number, string[]];
      for (const id of ids.slice(0, missing)) chosen.add(id);
      nodes.delete(node);
    }
  }
  return [...chosen];
};

/** Pure. */

import { byNode, countByNode, ranks } from "./by-node.js";
import type { AllocationStrategy } from "./strategy.js";

/** Evenly over the NUMA nodes: each device from the node of which the container has fewest, of equals from the emptiest. */
export const spread: AllocationStrategy = (input) => {
  const { size, mustInclude } = input;
  const chosen = new Set(mustInclude);
  const has = countByNode(input, chosen);
  for (const rank of ranks(input)) {
    const nodes = [...byNode(rank)].map(([node, ids]) => ({ node, ids, next: 0 }));
    for (let missing = size - chosen.size; missing > 0; missing--) {
      let best: (typeof nodes)[number] | undefined;
      for (const one of nodes) {
        if (one.next >= one.ids.length) continue;
        if (best === undefined || before(one, best)) best = one;
      }
      if (best === undefined) break;
      chosen.add(best.ids[best.next++] as string);
      has.set(best.node, (has.get(best.node) ?? 0) + 1);
    }
  }
  return [...chosen];

  function before(a: NodeLeft, b: NodeLeft): boolean {
    const own = (has.get(a.node) ?? 0) - (has.get(b.node) ?? 0);
    if (own !== 0) return own < 0;
    const left = b.ids.length - b.next - (a.ids.length - a.next);
    return left !== 0 ? left < 0 : a.node < b.node;
  }
};

interface NodeLeft {
  readonly node: number;
  readonly ids: readonly string[];
  readonly next: number;
}

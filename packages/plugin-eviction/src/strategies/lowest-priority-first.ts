/** Pure. */
import type { RankingStrategy } from "../strategy.js";
import { kubeletOrder } from "./kubelet.js";

/** A pod of low priority goes before one of higher priority even when it stays within its request; the kubelet's order among equals. */
export const lowestPriorityFirst: RankingStrategy = (input) =>
  [...kubeletOrder(input)].sort((a, b) => a.priority - b.priority);

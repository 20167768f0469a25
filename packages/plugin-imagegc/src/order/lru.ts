/** Pure. */
import type { OrderStrategy } from "./strategy.js";

/** By last use, then by first detection: the order in which the kubelet's candidates come. */
export const lru: OrderStrategy = ({ candidates }) => candidates;

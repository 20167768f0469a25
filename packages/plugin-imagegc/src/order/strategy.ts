/** Pure. */
import type { ImageRecord } from "../images/record.js";

export interface OrderInput {
  /** The images that may go, in the kubelet's order. The list is the strategy's own, to sort it in place; the images are frozen. */
  readonly candidates: readonly ImageRecord[];
  /** On the clock of the records' times. */
  readonly now: number;
}

/**
 * Says in which order images go, first to last. Pure. The answer is checked: it must hold each candidate once; otherwise the
 * kubelet's order is used and an event tells.
 */
export type OrderStrategy = (input: OrderInput) => readonly Pick<ImageRecord, "key">[];

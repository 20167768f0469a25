/** Images of a scenario as the simulated runtime has them. Pure. */
import type { SimulatedImage } from "@hooklet/testkit/simulation";
import type { ImageSpec } from "../scenario/schema.js";
import { amount } from "../values/amounts.js";

export function simulatedImage({ id, names, size, pinned }: ImageSpec): SimulatedImage {
  return { ...(id === undefined ? {} : { id }), names, size: amount(size), pinned };
}

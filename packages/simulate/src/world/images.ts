/** Images of a scenario as the simulated runtime has them. Pure. */
import type { SimulatedImage } from "@hooklet/testkit/simulation";
import { amount } from "../values/amounts.js";
import type { ImageSpec } from "../scenario/schema.js";

export function simulatedImage({ id, names, size, pinned }: ImageSpec): SimulatedImage {
  return { ...(id === undefined ? {} : { id }), names, size: amount(size), pinned };
}

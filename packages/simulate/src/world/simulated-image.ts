/** Images of a scenario as the simulated runtime has them. Pure. */
import type { SimulatedImage } from "@hooklet/sim";
import type { ImageSpec } from "../scenario/schema.js";
import { amount, milliseconds } from "../values/amounts.js";

export function simulatedImage({ id, names, size, pinned, pull }: ImageSpec): SimulatedImage {
  return {
    ...(id === undefined ? {} : { id }),
    ...(pull === undefined ? {} : { pullTime: milliseconds(pull) }),
    names,
    size: amount(size),
    pinned,
  };
}

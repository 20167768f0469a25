import type { Seam, World } from "./contract.js";

/** What takes the place of the real world at a seam; `bindSeam` makes it. */
export interface SeamBinding {
  readonly name: string;
  readonly port: unknown;
}

export function bindSeam<Port>({ name }: Seam<Port>, port: Port): SeamBinding {
  return { name, port };
}

/** The world with these bindings. */
export function worldOf(bindings: readonly SeamBinding[]): World {
  const bound = new Map(bindings.map(({ name, port }) => [name, port]));
  // A binding is made with its seam, so its port is of the seam's type.
  return { get: <Port>({ name, real }: Seam<Port>) => (bound.has(name) ? (bound.get(name) as Port) : real) };
}

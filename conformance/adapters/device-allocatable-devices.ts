import { Inventory } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { knownKeys, type RawDevice, sorted, toDevice } from "./devices.js";

interface Input {
  readonly updates: readonly Readonly<Record<string, readonly RawDevice[]>>[];
}

type Answer = { readonly allocatable: Readonly<Record<string, readonly string[]>> };

export const adapter: Adapter<Input> = {
  keys: ["updates"],
  run({ updates, ...rest }): Answer {
    knownKeys(rest, []);
    const inventory = new Inventory();
    for (const update of updates) {
      for (const [resource, devices] of Object.entries(update)) inventory.reported(resource, devices.map(toDevice));
    }
    const allocatable = [...inventory.allocatable()].map(([name, devices]) => [
      name,
      sorted(devices.map(({ id }) => id)),
    ]);
    return { allocatable: Object.fromEntries(allocatable) };
  },
  expected: ({ allocatable }: Answer): Answer => ({
    allocatable: Object.fromEntries(Object.entries(allocatable).map(([name, ids]) => [name, sorted(ids)])),
  }),
};

/** What plugins find outside of the simulated node. Pure. */
import type { SimulatedWorld } from "@hooklet/core";
import { unsupported } from "@hooklet/core/base";
import type { SimulatedDevicePlugins } from "@hooklet/plugin-devices";
import type { SimulatedProbes } from "@hooklet/plugin-probe";
import type { Logind } from "@hooklet/plugin-shutdown";

/** By name, as the plugins ask for them. */
export interface WorldParts {
  readonly probes: SimulatedProbes;
  readonly devicePlugins: SimulatedDevicePlugins;
  readonly logind: Logind;
}

export function simulatedWorld(parts: WorldParts): SimulatedWorld {
  const named = new Map<string, unknown>(Object.entries(parts));
  return {
    part(name) {
      const part = named.get(name);
      if (part !== undefined) return part;
      throw unsupported(`This simulation has no "${name}"`, `It has ${[...named.keys()].join(", ")}.`);
    },
  };
}

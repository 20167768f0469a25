/** What plugins find outside of the simulated node. */
import { bindSeam, type SeamBinding } from "@hooklet/core/internal";
import { rootOfAgent } from "@hooklet/plugin-cgroups";
import { devicesIo } from "@hooklet/plugin-devices";
import { probeAttempts } from "@hooklet/plugin-probe";
import { type Logind, logind } from "@hooklet/plugin-shutdown";
import type { Devices } from "./devices.js";
import type { Probes } from "./probes.js";

export interface WorldParts {
  readonly probes: Probes;
  readonly devices: Devices;
  readonly logind: Logind;
}

/** Device plugins as on a real node, for what of them is not simulated. */
export const realDevices = devicesIo.real;

export function simulatedWorld(parts: WorldParts): readonly SeamBinding[] {
  return [
    bindSeam(probeAttempts, parts.probes.attempt),
    bindSeam(devicesIo, () => parts.devices.io()),
    bindSeam(logind, parts.logind),
    // There is one agent only, wherever its root dir is.
    bindSeam(rootOfAgent, () => "/"),
  ];
}

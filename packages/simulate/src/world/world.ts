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

export function simulatedWorld(parts: WorldParts): readonly SeamBinding[] {
  return [
    bindSeam(probeAttempts, parts.probes.attempt),
    bindSeam(devicesIo, (clock) => parts.devices.io(devicesIo.real(clock))),
    bindSeam(logind, parts.logind),
    // There is one agent only, wherever its root dir is.
    bindSeam(rootOfAgent, () => "/"),
  ];
}

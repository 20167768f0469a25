import { podDeviceRequest } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { knownKeys, type Limits, podOf } from "./devices.js";

interface Input {
  readonly registered: readonly string[];
  readonly init: readonly Limits[];
  readonly containers: readonly Limits[];
  /** Indexes of the init containers with restartPolicy Always. */
  readonly sidecars?: readonly number[];
}

export const adapter: Adapter<Input> = {
  keys: ["registered", "init", "containers", "sidecars"],
  run({ registered, init, containers, sidecars = [], ...rest }) {
    knownKeys(rest, []);
    const pod = podOf(
      "pod",
      containers.map((limits, index) => ({ name: `c${index}`, limits })),
      init.map((limits, index) => ({
        name: `i${index}`,
        limits,
        ...(sidecars.includes(index) ? { restartPolicy: "Always" } : {}),
      })),
    );
    return { request: podDeviceRequest(pod, (resource) => registered.includes(resource)) };
  },
};

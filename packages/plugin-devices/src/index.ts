/** The kubelet's device manager as a hooklet plugin. */
export type { Device } from "./device/device.js";
export type { RunningServer } from "./grpc/sockets.js";
export { type DevicesIo, devicesIo } from "./io.js";
export type { DevicesOptions } from "./options.js";
export { plugin as default, plugin as devices } from "./plugin.js";
export type { PluginClient } from "./registration/connections.js";
export {
  type AllocationInput,
  type AllocationStrategy,
  allocationFault,
  type Candidate,
  type Place,
  type Question,
} from "./strategies/allocation.js";

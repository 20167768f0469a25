/** For hooklet's own benchmarks and recorded facts. Any of it may change in any version. */

export { allocateFailed, topologyAffinityError } from "./allocation/messages.js";
export { placeOf, type Selection, type SelectionInput, selectDevices } from "./allocation/select.js";
export type { CheckpointData, CheckpointEntry } from "./checkpoint/format.js";
export { CHECKPOINT_NAME, checksumOf, decodeCheckpoint, encodeCheckpoint, hashedText } from "./checkpoint/format.js";
export type { AllocateResponse, DeviceMount, DeviceNode, DevicesPerNuma, PluginOptions } from "./device/device.js";
export { containerDevices, podDeviceRequest, sanitizeAllocatable } from "./device/device.js";
export { allocatedResourcesStatus, changedHealth } from "./device/health.js";
export {
  type Capacity,
  filterDevices,
  Inventory,
  type ResourceDevices,
  STOP_GRACE_PERIOD,
} from "./device/inventory.js";
export { compareNatural, inNaturalOrder } from "./device/natural-order.js";
export { type Allocation, deviceIds, nodesById, PodDevices, perNuma } from "./device/pod-devices.js";
export { type RunOptions, runOptions } from "./device/run-options.js";
export { preferredRequest, responseCodec } from "./grpc/convert.js";
export { HealthUpdates } from "./health-reporter.js";
export { realIo } from "./io.js";
export { DeviceManager } from "./manager/device-manager.js";
export { ReusableDevices } from "./manager/device-state.js";
export type { AllocateAnswer, Choice, Endpoint, ManagerPorts, ResponseCodec } from "./manager/ports.js";
export { type ConnectionPorts, Connections } from "./registration/connections.js";
export {
  checkSocketPath,
  dialPath,
  type RegisterRequest,
  registrationFault,
  registrationHealth,
  staleSockets,
  watchedPluginFault,
} from "./registration/rules.js";
export { violation } from "./strategies/allocation.js";
export { allocationStrategies, kubelet, numaPacked, spread } from "./strategies/built-in.js";
export { resourceHints } from "./topology/hints.js";
export { hintLists, mergeHints } from "./topology/merge.js";
export { type Alignment, align, type TopologyPolicy, type TopologyScope } from "./topology/policy.js";

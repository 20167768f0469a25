/**
 * Internal: what packages, tests and benches of this repository use in addition to `@hooklet/core/base`: state files, logs, hooks, the schema of the
 * options. It loads most of core, and may change with any version.
 */
import "./one-core.js";

export { apiPod, defaultProbe, probeFaults, readManifest, tooLongToExec } from "@hooklet/manifest";
export { keepIn } from "./agent/kept.js";
export type { NodeConfig, SwitchedOff } from "./config/agent-config.js";
export {
  defaultRuntime,
  entrySchema,
  extendsSchema,
  pluginsSchema,
  rcSchema,
  rcSchemaWith,
  runtimeSchema,
} from "./config/schema.js";
export { isPlainRecord } from "./config/values.js";
export { createGuardedHooks } from "./hooks/guard.js";
export { assertLogThere, assertTimes } from "./logs/log-checks.js";
export { type LogPosition, readLog } from "./logs/read-log.js";
export { type Overcommitted, OvercommittedError } from "./node/reservation.js";
export { bundled, coreFolder, requireOneCore } from "./one-core.js";
export { bindSeam, type SeamBinding } from "./plugin/bind-seam.js";
export { PLUGIN_API } from "./plugin/contract.js";
export type { LoadedPlugin, LoadedRuntime } from "./plugin/loaded.js";
export { nameStrategy, noOptions, notASchema, schemaOf } from "./plugin/loaded.js";
export { MetricRegistries } from "./plugin/metrics.js";
export { type VolumeCalls, volumeCallsHere } from "./pod/life/volume-calls.js";
export { podVolumeOf } from "./pod/life/volume-places.js";
export { withBoundedLists } from "./runtime/runtime-layers.js";
export { runsTheSame, saysTheSame } from "./sources/same-pod.js";
export { decodeChecked, encodeChecked, writeFileAtomic } from "./state/atomic-file.js";
export { openStateFile, type StateFile } from "./state/checkpoint.js";

/**
 * Internal: what packages, tests and benches of this repository use in addition to `@hooklet/core/base`: state files, logs, hooks, the schema of the
 * options. It loads most of core, and may change with any version.
 */
import "./one-core.js";

export { withBoundedLists } from "@hooklet/cri-api";
export {
  apiPod,
  defaultProbe,
  probeFaults,
  readManifest,
  runsTheSame,
  saysTheSame,
  tooLongToExec,
} from "@hooklet/manifest";
export { podVolumeOf, type VolumeCalls, volumeCallsHere } from "@hooklet/volumes";
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
export { type Overcommitted, OvercommittedError } from "./node/reservation.js";
export { bundled, coreFolder, requireOneCore } from "./one-core.js";
export { bindSeam, type SeamBinding } from "./plugin/bind-seam.js";
export { PLUGIN_API } from "./plugin/contract.js";
export type { LoadedPlugin, LoadedRuntime } from "./plugin/loaded.js";
export { nameStrategy, noOptions, notASchema, schemaOf } from "./plugin/loaded.js";
export { MetricRegistries } from "./plugin/metrics.js";

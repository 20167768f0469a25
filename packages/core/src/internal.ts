/**
 * Internal: what packages, tests and benches of this repository share beside `@hooklet/core/base`: files and processes of the kernel, parts of
 * the configuration. It loads most of core, and may change with any version.
 */
import "./load/one-core.js";

export { apiPod, defaultProbe, probeFaults, readManifest, tooLongToExec } from "@hooklet/manifest";
export { keepIn } from "./agent/kept.js";
export type { Layer } from "./config/layers.js";
export { rcOptionTable, withGenerated } from "./config/option-table.js";
export { makeOwnFolder } from "./config/own-folder.js";
export { locateIn, parseYamlText, type RcFile, TextFault } from "./config/rc-text.js";
export { rcSchema } from "./config/schema.js";
export type { NodeConfig } from "./config/types.js";
export { type ConfigFault, faultText, type Path, pathText, type ValueFault, wordFault } from "./faults/faults.js";
export { parseWith } from "./faults/schema-faults.js";
export { createGuardedHooks } from "./hooks/guard.js";
export type { Importer } from "./load/import-file.js";
export { nodeModules } from "./load/modules.js";
export { checkPlugin, parseOptions } from "./load/plugin-options.js";
export { assertLogThere } from "./logs/log-there.js";
export { assertTimes } from "./logs/log-times.js";
export { type LogPosition, readLog } from "./logs/read-log.js";
export { bindSeam, type SeamBinding } from "./plugin/bind-seam.js";
export type { LoadedPlugin } from "./plugin/loaded.js";
export { MetricRegistries } from "./plugin/metrics.js";
export { podVolumeOf } from "./pod/life/pod-volume.js";
export { type VolumeCalls, volumeCallsHere } from "./pod/life/volume-calls.js";
export { withBoundedLists } from "./runtime/bounded-lists.js";
export { runsTheSame, saysTheSame } from "./sources/same-pod.js";
export { decodeChecked, encodeChecked, writeFileAtomic } from "./state/atomic-file.js";
export { openStateFile, type StateFile } from "./state/checkpoint.js";

/**
 * Internal: what packages, tests and benches of this repository share beside `@hooklet/core/base`: files and processes of the kernel, parts of
 * the configuration. It loads most of core, and may change with any version.
 */
import "./lib/one-core.js";

export { apiPod, defaultProbe, probeFaults, readManifest } from "@hooklet/manifest";
export { keepIn } from "./agent/kept.js";
export type { Layer } from "./config/layers.js";
export { rcOptionTable, withGenerated } from "./config/option-table.js";
export { makeOwnFolder } from "./config/own-folder.js";
export { locateIn, parseYamlText, type RcFile, TextFault } from "./config/rc-text.js";
export { rcSchema } from "./config/schema.js";
export type { NodeConfig } from "./config/types.js";
export { type ConfigFault, faultText, type Path, pathText, type ValueFault, wordFault } from "./faults/faults.js";
export { parseWith } from "./faults/schema-faults.js";
export { type Disk, disk, FIRST_DESCRIPTOR, mountDisk } from "./files/disk.js";
export { openOwn, writeOwn } from "./files/own-file.js";
export { Place } from "./files/place.js";
export { openForAppending, openLogFolder, readBounded } from "./files/regular-file.js";
export { removeTree } from "./files/remove-tree.js";
export { createGuardedHooks } from "./hooks/guard.js";
export { boundedDiskUsage, boundedStatfs, checkPid } from "./host/bounded.js";
export { makeCgroup } from "./host/cgroup-tree.js";
export { closeInheritedDescriptors } from "./host/descriptors.js";
export { HelperPool } from "./host/helper-pool.js";
export { serveHelper } from "./host/helper-process.js";
export { kernelFiles } from "./host/kernel-files.js";
export { killCgroup, pidsBelow } from "./host/kill-cgroup.js";
export { covers, type MountedFs, mountOf, mountsBelow, parseMountinfo } from "./host/mountinfo.js";
export { nodeHost } from "./host/node-host.js";
export { ownCgroups } from "./host/proc-cgroup.js";
export { identify, isAlive, type ProcessIdentity } from "./host/process-identity.js";
export { type ProcessStat, parseStat, readStat } from "./host/process-stat.js";
export { removeCgroup } from "./host/remove-cgroup.js";
export { SharedHelper } from "./host/shared-helper.js";
export { Signals } from "./host/signals.js";
export { deepFreeze } from "./lib/freeze.js";
export { Semaphore } from "./lib/semaphore.js";
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

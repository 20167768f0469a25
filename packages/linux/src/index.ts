export { boundedDiskUsage, boundedStatfs, checkPid } from "./bounded.js";
export {
  type CgroupHierarchy,
  type CgroupLayout,
  type CgroupVersion,
  cgroupBelow,
  cgroupFolder,
  isLimiting,
  readCgroupLayout,
  sharesToWeight,
} from "./cgroups/cgroup-layout.js";
export { makeCgroup } from "./cgroups/cgroup-tree.js";
export {
  type CgroupUsage,
  type KernelRead,
  type MemoryUsage,
  numberAfter,
  type Pressure,
  parsePressure,
  readMemoryUsage,
  readUsage,
} from "./cgroups/cgroup-usage.js";
export { containerIdOf, ownCgroups, processesByContainer } from "./cgroups/proc-cgroup.js";
export { killCgroup, pidsBelow, removeCgroup } from "./cgroups/remove-cgroup.js";
export { type Disk, disk, FIRST_DESCRIPTOR, mountDisk, type OpenFile } from "./files/disk.js";
export { covers, type MountedFs, mountOf, mountsBelow, parseMountinfo } from "./files/mountinfo.js";
export { hangsTogether, mountPoints, readMounts } from "./files/mounts.js";
export { makeOwnFolder, openOwn, writeOwn } from "./files/own-files.js";
export { pathSegment } from "./files/path-segment.js";
export { Place } from "./files/place.js";
export { openForAppending, openLogFolder, openRegular, readBounded } from "./files/regular-file.js";
export { removeTree } from "./files/remove-tree.js";
export { foreign, type TrustFault, type TrustOptions, untrusted, untrustedFolder } from "./files/trust.js";
export type {
  Apart,
  ApartOperations,
  ApartWork,
  DiskUsage,
  Host,
  HostFileSystem,
  KernelFileReader,
  KernelFiles,
  KernelLogRecord,
} from "./host.js";
export { kernelFiles } from "./kernel/kernel-files.js";
export {
  hugePages,
  meminfoBytes,
  processCount,
  processLimit,
  type SystemFacts,
  systemFacts,
} from "./kernel/machine-facts.js";
export { nodeHost } from "./node-host.js";
export { closeInheritedDescriptors } from "./processes/descriptors.js";
export { HelperPool } from "./processes/helper-pool.js";
export { serveHelper } from "./processes/helper-process.js";
export {
  identify,
  isAlive,
  type ProcessIdentity,
  type ProcessStat,
  parseStat,
  readStat,
} from "./processes/process-identity.js";
export { SharedHelper } from "./processes/shared-helper.js";
export { Signals } from "./processes/signals.js";
export { decodeChecked, encodeChecked, writeFileAtomic } from "./state/atomic-file.js";
export { openCheckpoint, openStateFile, type StateFile } from "./state/checkpoint.js";
export { isLocked, lockRootDir, type RootDirLock } from "./state/lock.js";
export { keepReserve, useReserve } from "./state/reserve.js";
export { listenPrivately, occupantOf, type PrivateSocket, type SocketAccess, socketIdentity } from "./unix-socket.js";

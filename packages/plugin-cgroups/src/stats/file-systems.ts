/** The node's file systems in the Summary's words. Pure. */
import { type FileSystem, type FsStatistics, rfc3339 } from "@hooklet/core";

export function fsOf(fileSystem: FileSystem): FsStatistics {
  const { at, capacityBytes, availableBytes, freeBytes, inodes, inodesFree, usedBytes, inodesUsed } = fileSystem;
  // As cAdvisor counts: what is kept for root is not in use.
  const used = usedBytes ?? capacityBytes - (freeBytes ?? availableBytes);
  const usedInodes = inodesUsed ?? (inodes !== undefined && inodesFree !== undefined ? inodes - inodesFree : undefined);
  return {
    time: rfc3339(at),
    availableBytes,
    capacityBytes,
    usedBytes: used,
    ...(inodesFree !== undefined && { inodesFree }),
    ...(inodes !== undefined && { inodes }),
    ...(usedInodes !== undefined && { inodesUsed: usedInodes }),
  };
}

/** Size and free space of file systems, also of those that do not answer. */
import { type BigIntStats, promises, type StatsFs } from "node:fs";
import { type Clock, Semaphore } from "@hooklet/utils";
import { boundedStatfs } from "../bounded.js";
import type { HostFileSystem } from "../host.js";

/** A call to a dead network file system never returns and keeps one of the process's four threads for files. */
const THREADS = 2;

export interface FileSystemCalls {
  statfs(path: string): Promise<StatsFs>;
  stat(path: string): Promise<Pick<BigIntStats, "dev">>;
}

const systemCalls: FileSystemCalls = {
  statfs: (path) => promises.statfs(path),
  stat: (path) => promises.stat(path, { bigint: true }),
};

/** Callers of one path share a call under way, so that a hanging file system is called once. */
export function createStatfs(clock: Clock, calls = systemCalls): (path: string) => Promise<HostFileSystem> {
  const threads = new Semaphore(THREADS);
  const running = new Map<string, Promise<HostFileSystem>>();
  const ask = async (path: string): Promise<HostFileSystem> => {
    const { dev } = await calls.stat(path);
    return toFileSystem(dev, await calls.statfs(path));
  };
  return (path) => {
    let call = running.get(path);
    if (call === undefined) {
      call = threads.run(() => ask(path));
      running.set(path, call);
      const over = (): void => void running.delete(path);
      call.then(over, over);
    }
    return boundedStatfs(clock, path, call);
  };
}

function toFileSystem(dev: bigint, { blocks, bsize, bavail, bfree, files, ffree }: StatsFs): HostFileSystem {
  return {
    device: deviceName(dev),
    capacityBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    freeBytes: bfree * bsize,
    // btrfs makes inodes as it needs them, and says 0.
    ...(files === 0 ? {} : { inodes: files, inodesFree: ffree }),
  };
}

/** `major:minor`, as /proc/self/mountinfo has it, from glibc's number. */
export function deviceName(dev: bigint): string {
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & 0xfffff000n);
  const minor = (dev & 0xffn) | ((dev >> 12n) & 0xffffff00n);
  return `${major}:${minor}`;
}

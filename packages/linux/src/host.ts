/**
 * The machine below the node, as narrow as plugins need it, so that a simulator can stand in for it. Paths are absolute. The
 * calls on kernel files are synchronous: these never wait for a disk. Files of volumes are read and written by `apart` alone.
 */
export interface Host {
  readonly kernel: KernelFiles;
  /** Size and free space of the file system that has the path. Rejects with the system's error; bounded to 5 s. */
  statfs(path: string): Promise<HostFileSystem>;
  /**
   * Bytes and inodes below a folder as `du` counts them: links once, no other file systems, what vanishes meanwhile left out.
   * Rejects when nothing at all could be counted.
   * Runs in a subprocess, with a deadline of 30 s.
   */
  diskUsage(path: string, signal?: AbortSignal): Promise<DiskUsage>;
  /**
   * One round of KILL for all processes in a cgroup and below it, given by its folders, one a hierarchy; processes that fork
   * meanwhile may be left. A reused pid is not hit. A missing folder is fine.
   * Returns the pids of those that were killed. Rejects with `code` EPERM.
   */
  killCgroup(folders: readonly string[]): Promise<readonly number[]>;
  /** For work on paths that may never answer, such as those in volumes. Close it when the plugin stops. */
  apart(work: ApartWork): Apart;
  /**
   * What the kernel itself wrote to its log and holds now, oldest first; undefined where it may not be read. The whole buffer, some
   * thousand lines: for when something is known to have happened.
   */
  kernelLog(): readonly KernelLogRecord[] | undefined;
  /**
   * A small text file of the machine's settings, such as /etc/resolv.conf; empty when it is not there. At most 16 MiB; a FIFO is
   * not waited for. @throws Error with `code` for any other reason
   */
  textFile(path: string): string;
  readonly pageSize: number;
  /** Logical processors that are online. */
  readonly cpus: number;
}

/** Takes and returns what `structuredClone` can copy. */
export type ApartOperations = Readonly<Record<string, (input: never) => unknown>>;

export interface ApartWork {
  /** The built module of a process that serves `operations` by `serveHelper`. */
  readonly module: URL;
  /** The same, for machines without processes: simulated ones. */
  readonly operations: ApartOperations;
}

export interface Apart {
  /**
   * Runs an operation in a subprocess. Rejects with an error of the name, message and code that was thrown there, or with
   * HOST_UNAVAILABLE without an answer within 10 s.
   * @param about the path of the operation, as a key: calls of one key run one after the other, and are refused for a while
   *   after one that did not answer
   */
  call(
    operation: string,
    input: unknown,
    about: { readonly path: string; readonly together: string },
  ): Promise<unknown>;
  close(): void;
}

/** One line of the kernel's log. */
export interface KernelLogRecord {
  /** Counts up by one a line. */
  readonly sequence: number;
  /** Microseconds on the kernel's own clock, which stands close to the machine's uptime. */
  readonly at: number;
  readonly text: string;
}

/** Files of procfs, sysfs and cgroupfs. */
export interface KernelFiles {
  /** Undefined when it does not exist, or vanished meanwhile. At most 16 MiB. @throws Error with `code` for any other reason */
  read(path: string): string | undefined;
  /** Writes an existing file. @throws Error with the kernel's `code` */
  write(path: string, value: string): void;
  /** As `write`, for values over which the kernel may think long: a lower memory limit makes it reclaim. */
  writeSlowly(path: string, value: string): Promise<void>;
  /** True when it was created, false when it existed. @throws Error with `code` */
  makeDirectory(path: string): boolean;
  /** False while something is in it; true when it is gone, or never was. @throws Error with `code` */
  removeDirectory(path: string): boolean;
  /** Names of the folders in a folder; none when it is not there. */
  directories(path: string): readonly string[];
  /** Names of all entries of a folder; none when it is not there. */
  entries(path: string): readonly string[];
  /** Milliseconds since the epoch when the entry was made or last changed; undefined when it is not there. */
  changedAt(path: string): number | undefined;
  /**
   * Reads files again and again by descriptors that stay open: half the cost of opening each. At most `limit` of them; those that
   * were read longest ago are closed first. Close it when it is not needed any more; a read after that throws.
   */
  reader(limit: number): KernelFileReader;
}

export interface KernelFileReader {
  /** As `KernelFiles.read`. */
  read(path: string): string | undefined;
  /** May be called twice. */
  close(): void;
}

export interface HostFileSystem {
  /** Two file systems with the same device are one. */
  readonly device: string;
  readonly capacityBytes: number;
  readonly availableBytes: number;
  /** Free for root alone included, where known. */
  readonly freeBytes?: number;
  /** Undefined where the file system counts no inodes (btrfs). */
  readonly inodes?: number;
  readonly inodesFree?: number;
}

export interface DiskUsage {
  readonly usedBytes: number;
  readonly inodesUsed: number;
  /** What kept a part from being counted, such as a folder that is closed: then at least so much is used. */
  readonly incomplete?: string;
}

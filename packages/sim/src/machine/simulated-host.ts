import { type Clock, type Host, sleep } from "@hooklet/core";
import type { Apart, ApartWork, DiskUsage, HostFileSystem, KernelLogRecord } from "@hooklet/core/subsystem";
import { boundedDiskUsage, boundedStatfs, checkPid, killCgroup, type ProcessIdentity } from "@hooklet/linux";
import { type CgroupVersion, cgroupMounts, cgroupRoots, newCgroup, writtenValue } from "./cgroups.js";
import { failure, KernelTree, parentOf } from "./kernel-tree.js";

const GIB = 1024 ** 3;

/** The default file system of a path. */
const USUAL: HostFileSystem = {
  device: "8:1",
  capacityBytes: 100 * GIB,
  availableBytes: 60 * GIB,
  inodes: 6_000_000,
  inodesFree: 5_000_000,
};

export interface SimulatedHostOptions {
  readonly clock: Clock;
  /** Default v2. */
  readonly cgroups?: CgroupVersion;
  /** Default 4. */
  readonly cpus?: number;
  /** Bytes; default 8 GiB. */
  readonly memoryBytes?: number;
  /** Default 4096. */
  readonly pageSize?: number;
  /** Called for each write to a kernel file, which then is not noted in `kernel.writes`. */
  readonly onWrite?: (path: string, value: string, before: string) => void;
}

export type HostOperation = "statfs" | "diskUsage";

/** A machine in memory: kernel files with cgroups and processes in them, and what its disks say. */
export class SimulatedHost implements Host {
  readonly kernel: KernelTree;
  readonly pageSize: number;
  readonly cpus: number;
  /** Signals that were sent, in order. */
  readonly signals: { readonly pid: number; readonly signal: "SIGKILL" | "SIGTERM" }[] = [];
  /** The calls so far, with their paths. */
  readonly calls: { readonly operation: HostOperation; readonly path: string }[] = [];
  readonly #log: KernelLogRecord[] = [];
  readonly #clock: Clock;
  readonly #fileSystems = new Map<string, HostFileSystem>();
  readonly #usages = new Map<string, DiskUsage>();
  readonly #faults = new Map<string, string>();
  readonly #delays = new Map<HostOperation, number>();
  readonly #texts = new Map([
    ["/etc/resolv.conf", "nameserver 192.0.2.53\n"],
    ["/etc/hosts", "127.0.0.1\tlocalhost\n"],
  ]);

  constructor(options: SimulatedHostOptions) {
    const { clock, cgroups = "v2", cpus = 4, memoryBytes = 8 * GIB, pageSize = 4096, onWrite } = options;
    this.#clock = clock;
    this.cpus = cpus;
    this.pageSize = pageSize;
    this.kernel = new KernelTree({
      now: () => clock.now(),
      newFolder: (path) => newCgroup(cgroups, path),
      written: (path, value, before) => this.#written(path, value, before),
      ...(onWrite === undefined ? {} : { onWrite }),
    });
    for (const root of cgroupRoots(cgroups)) this.kernel.addFolder(root);
    for (const size of ["hugepages-2048kB", "hugepages-1048576kB"]) {
      this.kernel.addFolder(`/sys/kernel/mm/hugepages/${size}`);
    }
    this.kernel.set("/proc/self/mountinfo", cgroupMounts(cgroups));
    this.kernel.set("/proc/meminfo", `MemTotal:       ${memoryBytes / 1024} kB\nSwapTotal:             0 kB\n`);
    this.kernel.set("/proc/sys/kernel/pid_max", "32768\n");
    this.kernel.set("/proc/sys/kernel/threads-max", "190000\n");
  }

  /** Of the nearest folder above for which `setFileSystem` was called; otherwise 100 GiB with 60 GiB free. */
  statfs(path: string): Promise<HostFileSystem> {
    return boundedStatfs(
      this.#clock,
      path,
      this.#answer("statfs", path, () => nearest(this.#fileSystems, path) ?? USUAL),
    );
  }

  /** The value of `setDiskUsage` for this very path; otherwise an empty folder. */
  diskUsage(path: string, signal?: AbortSignal): Promise<DiskUsage> {
    const empty = { usedBytes: this.pageSize, inodesUsed: 1 };
    return boundedDiskUsage(this.#clock, path, signal, (stop) =>
      this.#answer("diskUsage", path, () => this.#usages.get(path) ?? empty, stop),
    );
  }

  killCgroup(folders: readonly string[]): Promise<readonly number[]> {
    const identify = (pid: number): ProcessIdentity => ({ pid, startTicks: "0" });
    return killCgroup(this.kernel, folders, { identify, kill: async ({ pid }) => this.kill(pid, "SIGKILL") });
  }

  /** At once, in this process: another one would answer outside of virtual time. */
  apart({ operations }: ApartWork): Apart {
    return {
      call: async (operation, input) => operations[operation]?.(input as never),
      close: () => undefined,
    };
  }

  /** Processes are those that stand in some cgroup.procs; both signals end them. */
  kill(pid: number, signal: "SIGKILL" | "SIGTERM" | 0): boolean {
    checkPid(pid);
    const found = this.#places(pid);
    if (found.length === 0) return false;
    if (signal === 0) return true;
    this.signals.push({ pid, signal });
    for (const file of found) this.#setPids(file, (pids) => pids.filter((one) => one !== pid));
    return true;
  }

  /** Starts a process in a cgroup, or in several of v1. */
  addProcess(pid: number, ...folders: readonly string[]): void {
    for (const folder of folders) this.#setPids(`${folder}/cgroup.procs`, (pids) => [...pids, pid]);
  }

  /** The value of `setTextFile`; by default there are a short resolv.conf and hosts file in /etc. */
  textFile(path: string): string {
    return this.#texts.get(path) ?? "";
  }

  setTextFile(path: string, text: string): void {
    this.#texts.set(path, text);
  }

  kernelLog(): readonly KernelLogRecord[] {
    return [...this.#log];
  }

  /** The kernel writes lines into its log, now. */
  logKernel(...lines: readonly string[]): void {
    for (const text of lines) this.#log.push({ sequence: this.#log.length, at: this.#clock.monotonic() * 1000, text });
  }

  /** The file system that is mounted on this folder; values left out are those of before, or of 100 GiB with 60 GiB free. */
  setFileSystem(folder: string, given: Partial<HostFileSystem>): void {
    this.#fileSystems.set(folder, { ...(nearest(this.#fileSystems, folder) ?? USUAL), ...given });
  }

  setDiskUsage(path: string, usage: DiskUsage): void {
    this.#usages.set(path, usage);
  }

  /** From now on this operation fails for the path with this errno; undefined: no longer. */
  fail(operation: HostOperation, path: string, errno: string | undefined): void {
    if (errno === undefined) this.#faults.delete(`${operation} ${path}`);
    else this.#faults.set(`${operation} ${path}`, errno);
  }

  /** Makes every call of this operation take so long; `Infinity` never returns, 0 ends the delay. */
  delay(operation: HostOperation, milliseconds: number): void {
    this.#delays.set(operation, milliseconds);
  }

  async #answer<T>(operation: HostOperation, path: string, of: () => T, signal?: AbortSignal): Promise<T> {
    this.calls.push({ operation, path });
    const delay = this.#delays.get(operation) ?? 0;
    if (delay > 0) await sleep(this.#clock, delay, signal);
    const errno = this.#faults.get(`${operation} ${path}`);
    if (errno !== undefined) throw failure(errno, path);
    return of();
  }

  #written(path: string, value: string, before: string): string {
    if (path.endsWith("/cgroup.procs")) return this.#moved(path, Number(value));
    if (path.endsWith("/cgroup.kill")) this.#killBelow(parentOf(path));
    return writtenValue(path, value, before, this.pageSize);
  }

  /** A process is in one cgroup of each hierarchy. */
  #moved(path: string, pid: number): string {
    const hierarchy = (file: string): string => file.split("/").slice(0, 5).join("/");
    const v1 = this.kernel.read("/sys/fs/cgroup/cgroup.procs") === undefined;
    for (const file of this.#places(pid)) {
      if (!v1 || hierarchy(file) === hierarchy(path)) this.#setPids(file, (pids) => pids.filter((one) => one !== pid));
    }
    return `${this.kernel.read(path) ?? ""}${pid}\n`;
  }

  #killBelow(folder: string): void {
    for (const pid of this.#pids(`${folder}/cgroup.procs`)) this.kill(pid, "SIGKILL");
    for (const name of this.kernel.directories(folder)) this.#killBelow(`${folder}/${name}`);
  }

  #places(pid: number): readonly string[] {
    const digits = String(pid);
    const mayHave = (file: string): boolean => this.kernel.read(file)?.includes(digits) === true;
    return this.kernel.filesNamed("cgroup.procs").filter((file) => mayHave(file) && this.#pids(file).includes(pid));
  }

  #pids(file: string): readonly number[] {
    return (this.kernel.read(file) ?? "").split("\n").flatMap((line) => (line === "" ? [] : [Number(line)]));
  }

  #setPids(file: string, change: (pids: readonly number[]) => readonly number[]): void {
    this.kernel.set(
      file,
      change(this.#pids(file))
        .map((pid) => `${pid}\n`)
        .join(""),
    );
  }
}

/** The entry of the path, or of the nearest folder above it. */
function nearest<T>(entries: ReadonlyMap<string, T>, path: string): T | undefined {
  for (let folder = path; ; folder = parentOf(folder)) {
    const found = entries.get(folder);
    if (found !== undefined || folder === "/") return found;
  }
}

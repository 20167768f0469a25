/** The machine of a scenario: cgroups, memory, processes and disks that follow from what its containers use. */
import type { DiskUsage, HostFileSystem } from "@hooklet/core/subsystem";
import { type CgroupVersion, SimulatedHost, type VirtualClock } from "@hooklet/sim";
import { CgroupUsage } from "./cgroup-usage.js";
import type { Disks } from "./disks.js";

export interface MachineOptions {
  readonly clock: VirtualClock;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly pids: number;
  /** NUMA nodes; the processors are shared out among them in order. */
  readonly numaNodes: number;
  readonly cgroups: CgroupVersion;
  readonly disks: Disks;
  /** Called for each write to a kernel file. */
  readonly onWrite: (path: string, value: string, before: string) => void;
}

const ROOT_LACKS = [
  "memory.current",
  "memory.max",
  "memory.high",
  "memory.min",
  "memory.low",
  "memory.events",
  "pids.max",
];

export class Machine extends SimulatedHost {
  readonly usage: CgroupUsage;
  readonly memoryBytes: number;
  readonly #options: MachineOptions;
  readonly #onKill = new Map<number, () => void>();
  #nextPid = 1000;

  constructor(options: MachineOptions) {
    const { clock, cgroups, cpus, memoryBytes, onWrite } = options;
    super({ clock, cgroups, cpus, memoryBytes, onWrite });
    this.#options = options;
    this.memoryBytes = memoryBytes;
    this.kernel.set("/proc/sys/kernel/pid_max", `${options.pids}\n`);
    this.#setNodes(options);
    // The root of cgroup v2 has no memory of its own to tell of.
    if (cgroups === "v2") for (const file of ROOT_LACKS) this.kernel.unset(`/sys/fs/cgroup/${file}`);
    this.usage = new CgroupUsage(this.kernel, cgroups, memoryBytes);
  }

  #setNodes({ cpus, numaNodes }: MachineOptions): void {
    this.kernel.set("/sys/devices/system/cpu/online", `0-${cpus - 1}\n`);
    for (let node = 0; node < numaNodes; node++) {
      const first = Math.floor((node * cpus) / numaNodes);
      const last = Math.floor(((node + 1) * cpus) / numaNodes) - 1;
      this.kernel.set(`/sys/devices/system/node/node${node}/cpulist`, last < first ? "\n" : `${first}-${last}\n`);
    }
  }

  override statfs(path: string): Promise<HostFileSystem> {
    void path;
    return Promise.resolve(this.#options.disks.node());
  }

  override diskUsage(path: string, signal?: AbortSignal): Promise<DiskUsage> {
    signal?.throwIfAborted();
    return Promise.resolve(this.#options.disks.usageOf(path) ?? { usedBytes: this.pageSize, inodesUsed: 1 });
  }

  /** A process in a cgroup; `killed` is called when it is killed. Gives its pid. */
  startProcess(cgroup: string, killed: () => void): number {
    const pid = this.#nextPid++;
    this.addProcess(pid, ...this.usage.foldersOf(cgroup));
    this.kernel.set(`/proc/${pid}/cgroup`, this.usage.procText(cgroup));
    this.#onKill.set(pid, killed);
    return pid;
  }

  endProcess(pid: number): void {
    this.#onKill.delete(pid);
    super.kill(pid, "SIGKILL");
    this.kernel.removeDirectory(`/proc/${pid}`);
  }

  override kill(pid: number, signal: "SIGKILL" | "SIGTERM" | 0): boolean {
    if (signal !== "SIGKILL") return super.kill(pid, signal);
    this.#onKill.get(pid)?.();
    return super.kill(pid, signal);
  }
}

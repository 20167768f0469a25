/** What cgroups use, summed up to the root, in the files that the kernel would show it in. */
import type { CgroupVersion, KernelTree } from "@hooklet/sim";

const ROOT = "/sys/fs/cgroup";
const CONTROLLERS = ["cpu", "cpuacct", "cpuset", "memory", "pids", "hugetlb", "freezer", "systemd"];

interface Used {
  memory: number;
  pids: number;
}

export class CgroupUsage {
  /** By cgroup, `/` for the machine. */
  readonly #used = new Map<string, Used>([["/", { memory: 0, pids: 0 }]]);
  /** Of what runs beside the pods. */
  #system: Used = { memory: 0, pids: 100 };
  #kills = 0;

  constructor(
    private readonly kernel: KernelTree,
    private readonly version: CgroupVersion,
    private readonly memoryBytes: number,
  ) {
    this.setSystem({});
    kernel.set("/proc/vmstat", "oom_kill 0\n");
  }

  /** Folders of a cgroup: one, or one for each controller. */
  foldersOf(cgroup: string): readonly string[] {
    if (this.version === "v2") return [`${ROOT}${cgroup}`];
    return CONTROLLERS.map((name) => `${ROOT}/${name}${cgroup}`);
  }

  procText(cgroup: string): string {
    return this.version === "v2" ? `0::${cgroup}\n` : `4:memory:${cgroup}\n1:name=systemd:${cgroup}\n`;
  }

  make(cgroup: string, limitBytes: number | undefined): void {
    for (const folder of this.foldersOf(cgroup)) this.kernel.addFolder(folder);
    if (limitBytes !== undefined) this.setLimit(cgroup, limitBytes);
  }

  setLimit(cgroup: string, bytes: number): void {
    const file = this.#memoryFile(cgroup, this.version === "v2" ? "memory.max" : "memory.limit_in_bytes");
    this.kernel.set(file, String(bytes));
  }

  /** What it uses itself, from now on. */
  set(cgroup: string, { memory, pids }: Partial<Used>, before: Used): void {
    const more = { memory: (memory ?? before.memory) - before.memory, pids: (pids ?? before.pids) - before.pids };
    for (const path of upwards(cgroup)) {
      const used = this.#used.get(path) ?? { memory: 0, pids: 0 };
      const now = { memory: used.memory + more.memory, pids: used.pids + more.pids };
      if (now.memory === 0 && now.pids === 0 && path !== "/") this.#used.delete(path);
      else this.#used.set(path, now);
      this.#show(path, now);
    }
  }

  setSystem(given: Partial<Used>): void {
    this.#system = { memory: given.memory ?? this.#system.memory, pids: given.pids ?? this.#system.pids };
    this.#show("/", this.#used.get("/") ?? { memory: 0, pids: 0 });
  }

  /** Bytes of memory that the whole machine uses. */
  get total(): number {
    return (this.#used.get("/")?.memory ?? 0) + this.#system.memory;
  }

  get system(): Used {
    return this.#system;
  }

  /** The cgroup at or above this one that uses more than it may, the innermost first; "/": the machine itself. */
  exceeded(cgroup: string): string | undefined {
    for (const path of upwards(cgroup)) {
      const memory = this.#used.get(path)?.memory ?? 0;
      if (path === "/") return memory + this.#system.memory > this.memoryBytes ? path : undefined;
      if (memory > this.#limitOf(path)) return path;
    }
    return undefined;
  }

  /** Counts a process that was killed for lack of memory. */
  killed(cgroup: string): void {
    this.#kills += 1;
    this.kernel.set("/proc/vmstat", `oom_kill ${this.#kills}\n`);
    const file = this.#memoryFile(cgroup, this.version === "v2" ? "memory.events" : "memory.oom_control");
    const text = this.kernel.read(file);
    if (text === undefined) return;
    this.kernel.set(
      file,
      text.replace(/^oom_kill (\d+)/m, (_, count: string) => `oom_kill ${Number(count) + 1}`),
    );
  }

  #limitOf(cgroup: string): number {
    const text = this.kernel.read(
      this.#memoryFile(cgroup, this.version === "v2" ? "memory.max" : "memory.limit_in_bytes"),
    );
    const limit = Number(text);
    return text === undefined || text === "" || Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit;
  }

  #memoryFile(cgroup: string, name: string): string {
    const below = cgroup === "/" ? "" : cgroup;
    return this.version === "v2" ? `${ROOT}${below}/${name}` : `${ROOT}/memory${below}/${name}`;
  }

  #show(cgroup: string, { memory, pids }: Used): void {
    if (cgroup === "/") {
      this.#showMachine(memory + this.#system.memory, pids + this.#system.pids);
      return;
    }
    const v2 = this.version === "v2";
    this.#put(this.#memoryFile(cgroup, v2 ? "memory.current" : "memory.usage_in_bytes"), String(memory));
    this.#put(
      this.#memoryFile(cgroup, "memory.stat"),
      v2
        ? `anon ${memory}\nfile 0\ninactive_file 0\npgfault 0\npgmajfault 0`
        : `total_rss ${memory}\ntotal_inactive_file 0\ntotal_pgfault 0\ntotal_pgmajfault 0\ntotal_swap 0`,
    );
    this.#put(v2 ? `${ROOT}${cgroup}/pids.current` : `${ROOT}/pids${cgroup}/pids.current`, String(pids));
  }

  #showMachine(memory: number, pids: number): void {
    const { kernel, memoryBytes } = this;
    const free = Math.max(0, memoryBytes - memory);
    const kib = (bytes: number): string => `${Math.floor(bytes / 1024)} kB`;
    kernel.set(
      "/proc/meminfo",
      `MemTotal:       ${kib(memoryBytes)}\nMemFree:        ${kib(free)}\nMemAvailable:   ${kib(free)}\nInactive(file): 0 kB\nSwapTotal:      0 kB\nSwapFree:       0 kB\n`,
    );
    kernel.set("/proc/loadavg", `0.00 0.00 0.00 1/${pids} 1\n`);
    if (this.version === "v2") {
      kernel.set(`${ROOT}/memory.stat`, `anon ${memory}\nfile 0\ninactive_file 0\npgfault 0\npgmajfault 0`);
    } else {
      kernel.set(`${ROOT}/memory/memory.usage_in_bytes`, String(memory));
    }
  }

  /** A cgroup that has been removed is not made again. */
  #put(file: string, text: string): void {
    if (this.kernel.read(file) !== undefined) this.kernel.set(file, text);
  }
}

/** `/a/b`, `/a`, `/`. */
function upwards(cgroup: string): readonly string[] {
  const parts = cgroup.split("/").filter(Boolean);
  const paths = parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
  return ["/", ...paths].reverse();
}

/** A kernel's cgroup files in memory, as far as the agent sees them: for tests, scenarios and `plan` of another version. */
import type { CgroupFiles } from "./port.js";

/** Files that a new cgroup has, by controller. */
const DEFAULTS_V1: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cpu: {
    "cpu.shares": "1024",
    "cpu.cfs_period_us": "100000",
    "cpu.cfs_quota_us": "-1",
    "cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_time 0",
  },
  cpuacct: { "cpuacct.usage": "0" },
  cpuset: { "cpuset.cpus": "", "cpuset.mems": "" },
  memory: {
    "memory.limit_in_bytes": "9223372036854771712",
    "memory.usage_in_bytes": "0",
    "memory.stat": "total_rss 0\ntotal_inactive_file 0\ntotal_pgfault 0\ntotal_pgmajfault 0\ntotal_swap 0",
    "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0",
  },
  pids: { "pids.max": "max", "pids.current": "0" },
  hugetlb: { "hugetlb.2MB.limit_in_bytes": "9223372036852678656", "hugetlb.1GB.limit_in_bytes": "9223372036854771712" },
  freezer: { "freezer.state": "THAWED" },
};

const DEFAULTS_V2: Readonly<Record<string, string>> = {
  "cpu.weight": "100",
  "cpu.max": "max 100000",
  "cpu.stat": "usage_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0",
  "memory.max": "max",
  "memory.high": "max",
  "memory.min": "0",
  "memory.low": "0",
  "memory.swap.max": "max",
  "memory.oom.group": "0",
  "memory.current": "0",
  "memory.stat": "anon 0\ninactive_file 0\npgfault 0\npgmajfault 0",
  "memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0",
  "pids.max": "max",
  "pids.current": "0",
  "cpuset.cpus": "",
  "cpuset.mems": "",
  "hugetlb.2MB.max": "max",
  "hugetlb.1GB.max": "max",
  "cgroup.kill": "",
};

const ROOT = "/sys/fs/cgroup";
const CONTROLLERS_V2 = "cpuset cpu io memory hugetlb pids";

/** Lines of /proc/self/mountinfo of a machine with each v1 controller mounted apart, or with v2. */
export function simulatedMounts(version: "v1" | "v2"): string {
  const line = (place: string, type: string, options: string): string =>
    `30 20 0:26 / ${place} rw,relatime - ${type} ${type} rw${options === "" ? "" : `,${options}`}`;
  if (version === "v2") return line(ROOT, "cgroup2", "nsdelegate");
  return [...Object.keys(DEFAULTS_V1), "name=systemd"]
    .map((name) => line(`${ROOT}/${name.replace("name=", "")}`, "cgroup", name))
    .join("\n");
}

export class SimulatedCgroups implements CgroupFiles {
  /** Writes that came, in order: `path=value`. */
  readonly writes: string[] = [];
  readonly killed: number[] = [];
  readonly #folders = new Map<string, { readonly children: Set<string>; madeAt: number }>();
  readonly #files = new Map<string, string>();
  readonly #faults = new Map<string, string>();

  constructor(
    readonly version: "v1" | "v2",
    /** Milliseconds since the epoch. */
    private readonly now: () => number = () => 0,
    private readonly pageBytes = 4096,
  ) {
    this.#addFolder("/");
    const roots = version === "v2" ? [ROOT] : [...Object.keys(DEFAULTS_V1), "systemd"].map((name) => `${ROOT}/${name}`);
    for (const root of roots) this.#addRoot(root);
    for (const size of ["hugepages-2048kB", "hugepages-1048576kB"]) this.#addRoot(`/sys/kernel/mm/hugepages/${size}`);
    this.#files.set("/proc/sys/kernel/pid_max", "32768\n");
    this.#files.set("/proc/sys/kernel/threads-max", "190000\n");
  }

  read(path: string): string | undefined {
    return this.#files.get(path);
  }

  write(path: string, value: string): void {
    const fault = this.#faults.get(path);
    if (fault !== undefined) throw failure(fault, path);
    if (!this.#files.has(path)) throw failure("ENOENT", path);
    this.writes.push(`${path}=${value}`);
    this.#files.set(path, this.#kept(path, value));
  }

  async writeSlowly(path: string, value: string): Promise<void> {
    this.write(path, value);
  }

  makeDirectory(path: string): boolean {
    const fault = this.#faults.get(path);
    if (fault !== undefined) throw failure(fault, path);
    if (this.#folders.has(path)) return false;
    if (!this.#folders.has(parentOf(path))) throw failure("ENOENT", path);
    this.#addFolder(path);
    for (const [file, value] of Object.entries(this.#defaults(path))) this.#files.set(`${path}/${file}`, value);
    return true;
  }

  removeDirectory(path: string): boolean {
    const folder = this.#folders.get(path);
    if (folder === undefined) return true;
    if (folder.children.size > 0 || (this.#files.get(`${path}/cgroup.procs`) ?? "") !== "") return false;
    this.#folders.delete(path);
    this.#folders.get(parentOf(path))?.children.delete(nameOf(path));
    for (const file of Object.keys(this.#defaults(path))) this.#files.delete(`${path}/${file}`);
    return true;
  }

  directories(path: string): readonly string[] {
    return [...(this.#folders.get(path)?.children ?? [])];
  }

  changedAt(path: string): number | undefined {
    return this.#folders.get(path)?.madeAt ?? (this.#files.has(path) ? 0 : undefined);
  }

  kill(pid: number): boolean {
    let found = false;
    for (const [file, text] of this.#files) {
      if (!file.endsWith("/cgroup.procs")) continue;
      const rest = text.split("\n").filter((line) => line !== "" && line !== String(pid));
      found ||= text.split("\n").includes(String(pid));
      this.#files.set(file, rest.length === 0 ? "" : `${rest.join("\n")}\n`);
    }
    if (found) this.killed.push(pid);
    return found;
  }

  /** What stands in a file, as if somebody else had written it. */
  set(path: string, value: string): void {
    this.#files.set(path, value);
  }

  /** From now on writes to a file, or the making of a folder, fail so; undefined: no longer. */
  fail(path: string, errno: string | undefined): void {
    if (errno === undefined) this.#faults.delete(path);
    else this.#faults.set(path, errno);
  }

  #addRoot(path: string): void {
    const parts = path.split("/").slice(1);
    for (let count = 1; count <= parts.length; count++) {
      const step = `/${parts.slice(0, count).join("/")}`;
      if (!this.#folders.has(step)) this.#addFolder(step);
    }
    if (!path.startsWith(ROOT)) return;
    for (const [file, value] of Object.entries(this.#defaults(path))) this.#files.set(`${path}/${file}`, value);
    if (path.endsWith("/cpuset") || this.version === "v2") {
      this.#files.set(`${path}/cpuset.cpus`, "0-1");
      this.#files.set(`${path}/cpuset.mems`, "0");
    }
  }

  #addFolder(path: string): void {
    this.#folders.set(path, { children: new Set(), madeAt: this.now() });
    if (path !== "/") this.#folders.get(parentOf(path))?.children.add(nameOf(path));
  }

  #defaults(path: string): Record<string, string> {
    const common = { "cgroup.procs": "" };
    if (this.version === "v2") {
      return { ...common, "cgroup.controllers": CONTROLLERS_V2, "cgroup.subtree_control": "", ...DEFAULTS_V2 };
    }
    const controller = path.slice(ROOT.length + 1).split("/")[0] ?? "";
    return { ...common, ...DEFAULTS_V1[controller] };
  }

  /** What the kernel makes of a value. */
  #kept(path: string, value: string): string {
    const file = nameOf(path);
    if (file === "cgroup.subtree_control") {
      const before = this.#files.get(path) ?? "";
      return [...new Set([...before.split(" ").filter(Boolean), value.replace(/^\+/, "")])].join(" ");
    }
    if (/^memory\.(limit_in_bytes|max|high|min|low)$/.test(file)) {
      if (value === "-1") return "9223372036854771712";
      return value === "max" ? value : String(Math.floor(Number(value) / this.pageBytes) * this.pageBytes);
    }
    return value;
  }
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

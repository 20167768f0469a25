/** The files of simulated cgroups: their initial values, and the kernel's result of a write. */

export type CgroupVersion = "v1" | "v2";

/** Files that a new cgroup has, by controller. */
const DEFAULTS_V1: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cpu: {
    "cpu.shares": "1024",
    "cpu.cfs_period_us": "100000",
    "cpu.cfs_quota_us": "-1",
    "cpu.cfs_burst_us": "0",
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
  "cpu.max.burst": "0",
  "cpu.stat": "usage_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0",
  "memory.max": "max",
  "memory.high": "max",
  "memory.min": "0",
  "memory.low": "0",
  "memory.swap.max": "max",
  "memory.oom.group": "0",
  "memory.current": "0",
  "memory.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0",
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

const CGROUP_ROOT = "/sys/fs/cgroup";
const CONTROLLERS_V2 = "cpuset cpu io memory hugetlb pids";

/** Mount points of the cgroup hierarchies. */
export function cgroupRoots(version: CgroupVersion): readonly string[] {
  if (version === "v2") return [CGROUP_ROOT];
  return [...Object.keys(DEFAULTS_V1), "systemd"].map((name) => `${CGROUP_ROOT}/${name}`);
}

/** Lines of /proc/self/mountinfo of a machine with each v1 controller mounted separately, or with v2. */
export function cgroupMounts(version: CgroupVersion): string {
  const line = (place: string, type: string, options: string): string =>
    `30 20 0:26 / ${place} rw,relatime - ${type} ${type} rw${options === "" ? "" : `,${options}`}`;
  if (version === "v2") return `${line(CGROUP_ROOT, "cgroup2", "nsdelegate")}\n`;
  const names = [...Object.keys(DEFAULTS_V1), "name=systemd"];
  return names.map((name) => `${line(`${CGROUP_ROOT}/${name.replace("name=", "")}`, "cgroup", name)}\n`).join("");
}

const NONE: Readonly<Record<string, string>> = {};
const V2 = { "cgroup.procs": "", "cgroup.controllers": CONTROLLERS_V2, "cgroup.subtree_control": "", ...DEFAULTS_V2 };

/** Files of a new folder; none outside of the hierarchies. */
export function newCgroup(version: CgroupVersion, path: string): Readonly<Record<string, string>> {
  const within = cgroupRoots(version).find((root) => path === root || path.startsWith(`${root}/`));
  if (within === undefined) return NONE;
  const processors = path === within ? { "cpuset.cpus": "0-1", "cpuset.mems": "0" } : undefined;
  if (version === "v2") return processors === undefined ? V2 : { ...V2, ...processors };
  const controller = within.slice(CGROUP_ROOT.length + 1);
  return { "cgroup.procs": "", ...DEFAULTS_V1[controller], ...(controller === "cpuset" ? processors : {}) };
}

/** The kernel's result of a written value; processes are the host's. */
export function writtenValue(path: string, value: string, before: string, pageSize: number): string {
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (file === "cgroup.subtree_control") return switched(before, value);
  if (/^memory\.(limit_in_bytes|max|high|min|low)$/.test(file)) {
    if (value === "-1") return "9223372036854771712";
    return value === "max" ? value : String(Math.floor(Number(value) / pageSize) * pageSize);
  }
  return value;
}

/** `+cpu -memory`. */
function switched(before: string, words: string): string {
  const on = new Set(before.split(" ").filter(Boolean));
  for (const word of words.split(" ").filter(Boolean)) {
    const name = word.replace(/^[+-]/, "");
    if (word.startsWith("-")) on.delete(name);
    else on.add(name);
  }
  return [...on].join(" ");
}

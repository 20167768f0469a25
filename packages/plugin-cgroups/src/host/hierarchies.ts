/** Which cgroup hierarchies a machine has, and where a cgroup lies in them. Pure. */

export type CgroupVersion = "v1" | "v2";

export interface Hierarchy {
  readonly version: CgroupVersion;
  /** v1: those that are mounted here, `name=systemd` included. v2: empty, the files of each cgroup tell. */
  readonly controllers: readonly string[];
  readonly mountPoint: string;
}

export interface CgroupLayout {
  /** v1 as soon as cpu, memory or pids have a v1 hierarchy, also when a v2 one stands beside (hybrid). */
  readonly version: CgroupVersion;
  readonly hybrid: boolean;
  readonly hierarchies: readonly Hierarchy[];
}

/** What pods are limited by; without all three on v1 the machine counts as v2. */
const LIMITING = ["cpu", "memory", "pids"];

/** Controllers in which the agent makes a v1 cgroup: those that libcontainer looks for, and the freezer, to kill with. */
const REQUIRED = ["cpu", "cpuacct", "cpuset", "memory", "name=systemd", "pids", "hugetlb", "freezer"];

/** The layout of a machine by its /proc/self/mountinfo; undefined when no cgroups are mounted at all. */
export function readLayout(mountinfo: string): CgroupLayout | undefined {
  const mounts = mountinfo.split("\n").flatMap(parseMount);
  const v1 = shortestPerController(mounts.filter(({ version }) => version === "v1"));
  const v2 = mounts.filter(({ version }) => version === "v2").slice(0, 1);
  const isV1 = v1.some(({ controllers }) => controllers.some((name) => LIMITING.includes(name)));
  const hierarchies = isV1 ? [...v1, ...v2] : v2;
  if (hierarchies.length === 0) return undefined;
  return { version: isV1 ? "v1" : "v2", hybrid: isV1 && v2.length > 0, hierarchies };
}

function parseMount(line: string): Hierarchy[] {
  const [before = "", after = ""] = line.split(" - ");
  const mountPoint = unescaped(before.split(" ")[4] ?? "");
  const [type, , options = ""] = after.split(" ");
  if (mountPoint === "" || (type !== "cgroup" && type !== "cgroup2")) return [];
  if (type === "cgroup2") return [{ version: "v2", controllers: [], mountPoint }];
  const controllers = options.split(",").filter((word) => !NOT_CONTROLLERS.test(word));
  return controllers.length === 0 ? [] : [{ version: "v1", controllers, mountPoint }];
}

const NOT_CONTROLLERS =
  /^(rw|ro|xattr|noprefix|clone_children|release_agent=.*|cpuset_v2_mode|favordynmods|nofavordynmods)?$/;

/** Of several mounts of one controller the shortest path counts. */
function shortestPerController(mounts: readonly Hierarchy[]): Hierarchy[] {
  const sorted = [...mounts].sort((a, b) => a.mountPoint.length - b.mountPoint.length);
  const taken = new Set<string>();
  return sorted.filter(({ controllers }) => {
    if (controllers.some((name) => taken.has(name))) return false;
    for (const name of controllers) taken.add(name);
    return true;
  });
}

function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** The folder of a cgroup where `controller` is; undefined when the machine does not have that controller. */
export function folderOf(layout: CgroupLayout, controller: string, path: string): string | undefined {
  if (layout.version === "v2") return below(layout.hierarchies[0], path);
  return below(
    layout.hierarchies.find(({ version, controllers }) => version === "v1" && controllers.includes(controller)),
    path,
  );
}

/** The folders in which a cgroup may be, the agent's and those of a runtime: all there are. */
export function allFolders(layout: CgroupLayout, path: string): readonly string[] {
  return layout.hierarchies.map((one) => join(one.mountPoint, path));
}

export function isRequired({ version, controllers }: Hierarchy): boolean {
  return version === "v1" && controllers.some((name) => REQUIRED.includes(name));
}

/** Whether cpu, memory or processes are limited there. */
export function isLimiting(layout: CgroupLayout, { version, controllers }: Hierarchy): boolean {
  return layout.version === "v2" || (version === "v1" && controllers.some((name) => LIMITING.includes(name)));
}

function below(hierarchy: Hierarchy | undefined, path: string): string | undefined {
  return hierarchy && join(hierarchy.mountPoint, path);
}

/** Never climbs: names of cgroups have been checked. */
function join(mountPoint: string, path: string): string {
  return path === "/" ? mountPoint : `${mountPoint}${path}`;
}

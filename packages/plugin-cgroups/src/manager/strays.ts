/** Processes that somebody moved out of their container's cgroup, and how they come back. */
import { errorText } from "@hooklet/core";
import { ownCgroups } from "@hooklet/core/host";
import { type CgroupLayout, type Hierarchy, isLimiting } from "../host/hierarchies.js";
import { readPids } from "../host/pids.js";
import type { CgroupFiles } from "../host/port.js";

/** Of a container with very many processes the first ones are looked after. */
const MAX_PIDS = 64;

/** A container that runs. */
export interface LookedAfter {
  /** The runtime's id. */
  readonly id: string;
  readonly podUid: string;
  readonly container: string;
  /** cgroupfs path of its cgroup. */
  readonly path: string;
}

export interface Strayed extends LookedAfter {
  readonly pid: number;
  readonly command: string;
  /** Where it was: `/user.slice (memory)`. */
  readonly found: string;
  /** Why it could not be moved back. */
  readonly error?: string;
}

/** When a process of this number was started: another one may have the number by now. */
type Births = ReadonlyMap<number, string>;

/** Remembers from one look to the next who belongs to which container. */
export class Strays {
  #known = new Map<string, Births>();
  /** Where something is limited. */
  readonly #hierarchies: readonly Hierarchy[];

  constructor(
    private readonly files: Pick<CgroupFiles, "read" | "write" | "changedAt">,
    layout: CgroupLayout,
  ) {
    this.#hierarchies = layout.hierarchies.filter((one) => isLimiting(layout, one));
  }

  /** Its processes as they are now. */
  remember({ id, path }: LookedAfter): void {
    const births = new Map<number, string>();
    for (const pid of this.#pids(path).slice(0, MAX_PIDS)) {
      const birth = this.#birth(pid);
      if (birth !== undefined) births.set(pid, birth);
    }
    this.#known.set(id, births);
  }

  /** Moves back whoever was in a container's cgroup at the last look, or is its first process, and is outside of it now. */
  look(containers: readonly LookedAfter[]): readonly Strayed[] {
    const known = new Map<string, Births>();
    const strayed: Strayed[] = [];
    for (const container of containers) {
      const here = this.#pids(container.path);
      const before = this.#known.get(container.id) ?? new Map<number, string>();
      const inside = new Set(here);
      const missing = new Set([...before.keys()].filter((pid) => !inside.has(pid)));
      const births = new Map<number, string>();
      for (const pid of [...here.slice(0, MAX_PIDS), ...missing]) {
        const birth = before.get(pid) ?? this.#birth(pid);
        const same = missing.has(pid) ? birth === this.#birth(pid) : birth !== undefined;
        if (birth !== undefined && same) births.set(pid, birth);
      }
      known.set(container.id, births);
      const first = [...births.keys()].slice(0, 1);
      for (const pid of new Set([...first, ...[...missing].filter((one) => births.has(one))])) {
        strayed.push(...this.#bringBack(container, pid));
      }
    }
    this.#known = known;
    return strayed;
  }

  #bringBack(container: LookedAfter, pid: number): Strayed[] {
    const own = ownCgroups(this.files.read(`/proc/${pid}/cgroup`) ?? "");
    const outside = this.#hierarchies.flatMap((hierarchy) => {
      const [name, path] = own.find(([controllers]) => isOf(hierarchy, controllers)) ?? [];
      const folder = `${hierarchy.mountPoint}${container.path}`;
      // Deeper is fine: what a container does with its own cgroup is its own affair.
      const home = path === undefined || path === container.path || path.startsWith(`${container.path}/`);
      return home || this.files.changedAt(folder) === undefined
        ? []
        : [{ folder, found: name ? `${path} (${name})` : path }];
    });
    if (outside.length === 0) return [];
    const command = (this.files.read(`/proc/${pid}/comm`) ?? "").trim();
    const found = outside.map((one) => one.found).join(", ");
    const errors = outside.flatMap(({ folder }) => {
      try {
        this.files.write(`${folder}/cgroup.procs`, String(pid));
        return [];
      } catch (error) {
        return [errorText(error)];
      }
    });
    return [{ ...container, pid, command, found, ...(errors.length > 0 && { error: errors.join(", ") }) }];
  }

  #pids(path: string): readonly number[] {
    const [first] = this.#hierarchies;
    return first === undefined ? [] : readPids(this.files, `${first.mountPoint}${path}/cgroup.procs`);
  }

  /** Field 22 of /proc/PID/stat; undefined when there is none any more. The name before may have blanks and brackets in it. */
  #birth(pid: number): string | undefined {
    const stat = this.files.read(`/proc/${pid}/stat`);
    return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  }
}

function isOf({ version, controllers }: Hierarchy, named: string): boolean {
  return version === "v2" ? named === "" : named.split(",").some((name) => controllers.includes(name));
}

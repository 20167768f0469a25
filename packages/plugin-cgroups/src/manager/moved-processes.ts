/** Moves processes back that were moved out of their container's cgroup. */
import { errorText } from "@hooklet/core";
import { type CgroupHierarchy, type CgroupLayout, isLimiting } from "@hooklet/core/rules";
import { ownCgroups } from "@hooklet/linux";
import { type CgroupFiles, readPids } from "../host/cgroup-files.js";

/** Only this many processes of a container are watched. */
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

export interface MovedProcess extends LookedAfter {
  readonly pid: number;
  readonly command: string;
  /** Where it was: `/user.slice (memory)`. */
  readonly found: string;
  /** Why it could not be moved back. */
  readonly error?: string;
}

/** When a process of this number was started: another one may have the number by now. */
type Births = ReadonlyMap<number, string>;

interface Remembered {
  readonly births: Births;
  /** Hierarchies in which the container had its cgroup: a runtime need not use all of them. */
  readonly homes: ReadonlySet<CgroupHierarchy>;
}

const NOTHING: Remembered = { births: new Map(), homes: new Set() };

/** Remembers which process belongs to which container. */
export class MovedProcesses {
  #known = new Map<string, Remembered>();
  /** Where something is limited. */
  readonly #hierarchies: readonly CgroupHierarchy[];

  constructor(
    private readonly files: Pick<CgroupFiles, "read" | "write" | "changedAt">,
    layout: CgroupLayout,
  ) {
    this.#hierarchies = layout.hierarchies.filter((one) => isLimiting(layout, one));
  }

  /** Its processes as they are now. */
  remember(container: LookedAfter): void {
    this.#known.set(container.id, this.#see(container, NOTHING).remembered);
  }

  /**
   * Moves processes back that were in a container's cgroup, in any hierarchy, and are outside of it now.
   * @param remake creates a container's missing cgroup while processes of the container live
   */
  async look<T extends LookedAfter>(
    containers: readonly T[],
    remake: (container: T) => Promise<void>,
  ): Promise<readonly MovedProcess[]> {
    const known = new Map<string, Remembered>();
    const strayed: MovedProcess[] = [];
    for (const container of containers) {
      const { remembered, missing } = this.#see(container, this.#known.get(container.id) ?? NOTHING);
      known.set(container.id, remembered);
      const outside = missing.map((pid) => ({ pid, away: this.#awayFrom(container, pid, remembered.homes) }));
      const gone = outside.some(({ away }) => away.some(({ folder }) => this.files.changedAt(folder) === undefined));
      if (gone) await remake(container);
      for (const { pid, away } of outside) strayed.push(...this.#bringBack(container, pid, away));
    }
    this.#known = known;
    return strayed;
  }

  /** The processes of a container, and those that are not in its cgroup in every hierarchy. */
  #see({ path }: LookedAfter, before: Remembered): { readonly remembered: Remembered; readonly missing: number[] } {
    const homes = this.#hierarchies.filter(
      (one) => before.homes.has(one) || this.files.changedAt(`${one.mountPoint}${path}`) !== undefined,
    );
    const members = homes.map((one) => new Set(readPids(this.files, `${one.mountPoint}${path}/cgroup.procs`)));
    const seen = new Set(members.flatMap((pids) => [...pids].slice(0, MAX_PIDS)));
    const isInside = (pid: number): boolean => members.every((pids) => pids.has(pid));
    const births = new Map<number, string>();
    const missing: number[] = [];
    for (const pid of new Set([...[...before.births.keys()].filter((one) => !isInside(one)), ...seen])) {
      const inside = isInside(pid);
      const known = before.births.get(pid);
      const birth = inside && known !== undefined ? known : this.#birth(pid);
      if (birth === undefined || (known !== undefined && known !== birth)) continue;
      births.set(pid, birth);
      if (!inside) missing.push(pid);
    }
    return { remembered: { births, homes: new Set(homes) }, missing };
  }

  /** Where a process is outside of its container's cgroup. Deeper is fine: that is the container's own affair. */
  #awayFrom({ path }: LookedAfter, pid: number, homes: ReadonlySet<CgroupHierarchy>): readonly Away[] {
    const own = ownCgroups(this.files.read(`/proc/${pid}/cgroup`) ?? "");
    return [...homes].flatMap((hierarchy) => {
      const [name, at] = own.find(([controllers]) => isOf(hierarchy, controllers)) ?? [];
      if (at === undefined || at === path || at.startsWith(`${path}/`)) return [];
      return [{ folder: `${hierarchy.mountPoint}${path}`, found: name ? `${at} (${name})` : at }];
    });
  }

  #bringBack(container: LookedAfter, pid: number, away: readonly Away[]): MovedProcess[] {
    if (away.length === 0) return [];
    const command = (this.files.read(`/proc/${pid}/comm`) ?? "").trim();
    const found = away.map((one) => one.found).join(", ");
    const errors = away.flatMap(({ folder }) => {
      try {
        this.files.write(`${folder}/cgroup.procs`, String(pid));
        return [];
      } catch (error) {
        return [errorText(error)];
      }
    });
    return [{ ...container, pid, command, found, ...(errors.length > 0 && { error: errors.join(", ") }) }];
  }

  /** Field 22 of /proc/PID/stat; undefined when there is none any more. The name before may have blanks and brackets in it. */
  #birth(pid: number): string | undefined {
    const stat = this.files.read(`/proc/${pid}/stat`);
    return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  }
}

interface Away {
  /** Of the container's cgroup. */
  readonly folder: string;
  /** Where the process is: `/user.slice (memory)`. */
  readonly found: string;
}

function isOf({ version, controllers }: CgroupHierarchy, named: string): boolean {
  return version === "v2" ? named === "" : named.split(",").some((name) => controllers.includes(name));
}

/** Applies a plan to cgroups: reads first, writes only what differs, and reports what the kernel accepted. */
import { errorText } from "@hooklet/core";
import { type CgroupLayout, cgroupFolder } from "@hooklet/core/rules";
import { errno } from "@hooklet/core/subsystem";
import type { CgroupFiles } from "../host/cgroup-files.js";
import { type CgroupSetting, controllerOf, type Plan } from "../plan/setting.js";
import { cgroupExists, ensureCgroup, missingCgroup, type Refused, type Report, type Written } from "./cgroup.js";
import { sameValue, shrinks } from "./compare.js";

export interface ApplyOptions {
  /** False: the cgroups must be there already; one that is not is reported as refused. */
  readonly make?: boolean;
  /** Also checks existing cgroups: their creation may be incomplete. */
  readonly thorough?: boolean;
  /** Only what allows more than before: the first half of a resize. */
  readonly growOnly?: boolean;
  /** Only what allows less than before. */
  readonly shrinkOnly?: boolean;
}

interface Change {
  readonly setting: CgroupSetting;
  readonly host: string;
  readonly before: string | undefined;
  readonly fresh: boolean;
}

/**
 * Applies a plan. Cgroups are created parents first; then values that grow are written from the root down and values that shrink
 * from the leaves up. Never throws for what the kernel refuses: that is in the report, and the rest continues.
 */
export async function applyPlan(
  files: CgroupFiles,
  layout: CgroupLayout,
  plan: Plan,
  options: ApplyOptions = {},
): Promise<Report> {
  const work = new Application(files, layout, options.make ?? true, options.thorough ?? false);
  const paths = [...new Set(plan.map(({ path }) => path))].sort((a, b) => depth(a) - depth(b));
  for (const path of paths) work.enter(path);
  const changes = plan.flatMap((setting) => work.changeOf(setting));
  const down = changes.filter((change) => !isShrinking(change)).sort((a, b) => depthOf(a) - depthOf(b));
  // Of one cgroup in reverse: the kernel takes no quota below the burst.
  const up = changes
    .filter(isShrinking)
    .reverse()
    .sort((a, b) => depthOf(b) - depthOf(a));
  const wanted = [...(options.shrinkOnly ? [] : down), ...(options.growOnly ? [] : up)];
  for (const change of wanted) await work.write(change);
  return work.report;
}

class Application {
  readonly made: string[] = [];
  readonly written: Written[] = [];
  readonly refused: Refused[] = [];
  readonly #missing = new Set<string>();
  readonly #handedDown = new Set<string>();

  constructor(
    private readonly files: CgroupFiles,
    private readonly layout: CgroupLayout,
    private readonly make: boolean,
    private readonly thorough: boolean,
  ) {}

  get report(): Report {
    return { made: this.made, written: this.written, refused: this.refused };
  }

  /** Creates a cgroup, or checks that it exists. */
  enter(path: string): void {
    const { files, layout, make, thorough } = this;
    try {
      if (make) {
        const { made, refused } = ensureCgroup(files, layout, path, thorough);
        if (made) this.made.push(path);
        this.refused.push(...refused);
        return;
      }
      if (!cgroupExists(files, layout, path)) this.#lost(path, "ENOENT", missingCgroup(path));
    } catch (error) {
      this.#lost(path, errno(error), `cannot make cgroup ${path}: ${errorText(error)}`);
    }
  }

  #lost(path: string, errno: string | undefined, message: string): void {
    this.#missing.add(path);
    this.refused.push({ path, file: "", wanted: "the cgroup", got: undefined, errno, message });
  }

  /** Nothing where the file holds the value already, or the machine has no such controller. */
  changeOf(setting: CgroupSetting): Change[] {
    const { path, file, value } = setting;
    if (this.#missing.has(path)) return [];
    const folder = cgroupFolder(this.layout, controllerOf(file), path);
    if (folder === undefined) return [];
    const host = `${folder}/${file}`;
    const before = this.#read(host) ?? this.#readOnceHandedDown(path, host);
    if (before !== undefined && sameValue(file, value, before)) return [];
    return [{ setting, host, before, fresh: this.made.includes(path) }];
  }

  async write(change: Change): Promise<void> {
    const { setting, host, before, fresh } = change;
    const { path, file, value } = setting;
    try {
      // A limit that goes down on a cgroup in use makes the kernel reclaim memory, which may take long.
      if (!fresh && file.startsWith("memory.") && isShrinking(change)) await this.files.writeSlowly(host, value);
      else this.files.write(host, value);
    } catch (error) {
      const message = `cannot set ${host} to ${value}: ${errorText(error)}`;
      this.refused.push({ path, file, wanted: value, got: this.#read(host), errno: errno(error), message });
      return;
    }
    this.written.push({ ...setting, before });
    const got = this.#read(host);
    if (got !== undefined && sameValue(file, value, got)) return;
    const message = `${host} was set to ${value}, but holds ${got ?? "nothing"}`;
    this.refused.push({ path, file, wanted: value, got, errno: undefined, message });
  }

  /** On v2 a cgroup has the files of a controller only while all above it hand that down. */
  #readOnceHandedDown(path: string, host: string): string | undefined {
    if (this.layout.version === "v1" || !this.make || this.#handedDown.has(path)) return undefined;
    this.#handedDown.add(path);
    this.refused.push(...ensureCgroup(this.files, this.layout, path, true).refused);
    return this.#read(host);
  }

  #read(host: string): string | undefined {
    return this.files.read(host)?.trim();
  }
}

function isShrinking({ setting: { file, value }, before }: Change): boolean {
  return before !== undefined && shrinks(file, before, value);
}

function depthOf({ setting }: Change): number {
  return depth(setting.path);
}

function depth(path: string): number {
  return path === "/" ? 0 : path.split("/").length - 1;
}

/** CPU time alone, of very many cgroups, and which earlier one rates are taken against. */
import { type CgroupLayout, type CgroupUsage, cgroupFolder, type KernelRead, numberAfter } from "@hooklet/core/rules";
import type { TreeUsage } from "./tree.js";

/** At one moment. */
export interface CpuTimes {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Nanoseconds by cgroup, `/` for the machine; those that the kernel does not tell are missing. */
  readonly nanoSeconds: ReadonlyMap<string, number>;
}

/** One small file for each cgroup, and no other. */
export function readCpuTimes(files: KernelRead, layout: CgroupLayout, paths: readonly string[], at: number): CpuTimes {
  const nanoSeconds = new Map<string, number>();
  for (const path of paths) {
    const found = cpuTime(files, layout, path);
    if (found !== undefined) nanoSeconds.set(path, found);
  }
  return { at, nanoSeconds };
}

function cpuTime(files: KernelRead, layout: CgroupLayout, path: string): number | undefined {
  const v1 = layout.version === "v1";
  const folder = cgroupFolder(layout, v1 ? "cpuacct" : "cpu", path);
  const text = folder && files.read(`${folder}/${v1 ? "cpuacct.usage" : "cpu.stat"}`);
  if (text === undefined) return undefined;
  if (v1) return finite(Number.parseInt(text, 10));
  const micros = numberAfter(text, "usage_usec");
  return micros === undefined ? undefined : micros * 1000;
}

const finite = (number: number): number | undefined => (Number.isFinite(number) ? number : undefined);

/** The same of what has been read whole. */
export function cpuTimesOf({ at, pods, byPod }: TreeUsage, node: CgroupUsage | undefined): CpuTimes {
  const whole = [...byPod.values()].flatMap(({ usage, containers }) => [usage, ...containers.values()]);
  const known = [node, pods, ...whole].flatMap((one) => one ?? []);
  return {
    at,
    nanoSeconds: new Map(
      known.flatMap(({ path, cpu }) =>
        cpu.usageNanoSeconds === undefined ? [] : [[path, cpu.usageNanoSeconds] as const],
      ),
    ),
  };
}

/** Milliseconds: readers that come one right after another would see the noise of an instant. */
const WINDOW = 5000;
/** Milliseconds between readings that are kept: no more than six, however often there are new ones. */
const SPACING = 1000;

export class RateWindow<T> {
  /** Oldest first. */
  #kept: { readonly at: number; readonly reading: T }[] = [];

  /**
   * Takes a new reading and gives the one to compare it with: the last one that is at least 5 s old, or the first one of all until
   * there is one. Undefined for the first. @param at milliseconds since the epoch
   */
  next(reading: T, at: number): T | undefined {
    // The clock was set back: what was kept lies in the future.
    this.#kept = this.#kept.filter((one) => one.at <= at);
    const base = this.#kept.findLast((one) => at - one.at >= WINDOW) ?? this.#kept[0];
    if (base !== undefined) this.#kept = this.#kept.slice(this.#kept.indexOf(base));
    if (at - (this.#kept.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= SPACING) this.#kept.push({ at, reading });
    return base?.reading;
  }
}

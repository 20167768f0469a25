/** CPU time alone, of very many cgroups: what rates are taken against. Pure but for the reading. */
import { type CgroupLayout, folderOf } from "../host/hierarchies.js";
import type { CgroupFiles } from "../host/port.js";
import { numberAfter } from "./parse.js";
import type { TreeUsage } from "./pass.js";
import type { CgroupUsage } from "./usage.js";

/** At one moment. */
export interface CpuTimes {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Nanoseconds by cgroup, `/` for the machine; those that the kernel does not tell are missing. */
  readonly nanoSeconds: ReadonlyMap<string, number>;
}

/** One small file for each cgroup, and no other. */
export function readCpuTimes(
  files: Pick<CgroupFiles, "read">,
  layout: CgroupLayout,
  paths: readonly string[],
  at: number,
): CpuTimes {
  const nanoSeconds = new Map<string, number>();
  for (const path of paths) {
    const found = cpuTime(files, layout, path);
    if (found !== undefined) nanoSeconds.set(path, found);
  }
  return { at, nanoSeconds };
}

function cpuTime(files: Pick<CgroupFiles, "read">, layout: CgroupLayout, path: string): number | undefined {
  const v1 = layout.version === "v1";
  const folder = folderOf(layout, v1 ? "cpuacct" : "cpu", path);
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

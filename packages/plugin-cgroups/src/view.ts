/** `hooklet get cgroups`: the tree with desired values, actual values and usage. */
import { type Clock, type Json, namespacedName, type View, type ViewRow } from "@hooklet/core";
import { cgroupFolder, readUsage } from "@hooklet/core/rules";
import { sameValue } from "./apply/compare.js";
import { podPlan } from "./plan/pod-plan.js";
import { bytes, type CgroupSetting, controllerOf } from "./plan/setting.js";
import type { CgroupService, OpenCgroups } from "./service.js";

const COLUMNS = [
  "cgroup",
  "pod",
  "cpu",
  "cpu limit",
  "memory limit",
  "pids",
  "cpu used",
  "memory used",
  "state",
] as const;
const WIDE = ["processes", "throttled", "oom kills"] as const;

export function cgroupsView(service: CgroupService, clock: Clock): View {
  return {
    description: "Cgroups of the node and its pods: wanted, actual, used",
    columns: [...COLUMNS.map((name) => ({ name })), ...WIDE.map((name) => ({ name, wide: true }))],
    rows: () => (service.open === undefined ? [] : rowsOf(service.open, clock.now())),
  };
}

function rowsOf(open: OpenCgroups, now: number): ViewRow[] {
  const node = groups(open.manager.tree.plan()).map(([path, plan]) => rowOf(open, path, plan, "", now));
  const pods = open.manager
    .pods()
    .map(({ pod, path }) => rowOf(open, path, podPlan(pod, open.manager.rules), namespacedName(pod.metadata), now));
  return [...node, ...pods].sort((a, b) => (String(a.cgroup) < String(b.cgroup) ? -1 : 1));
}

function groups(plan: readonly CgroupSetting[]): [string, readonly CgroupSetting[]][] {
  return [...new Set(plan.map(({ path }) => path))].map((path) => [path, plan.filter((one) => one.path === path)]);
}

function rowOf(open: OpenCgroups, path: string, plan: readonly CgroupSetting[], pod: string, now: number): ViewRow {
  const files = plan.map(({ file, value, why }) => ({ file, wanted: value, actual: actual(open, path, file), why }));
  const value = (...names: readonly string[]): string => files.find(({ file }) => names.includes(file))?.actual ?? "-";
  const usage = readUsage(open.files, open.layout, path, now);
  const limit = Number(value("memory.limit_in_bytes", "memory.max"));
  const { usageNanoSeconds, throttledPeriods, periods } = usage?.cpu ?? {};
  const { workingSetBytes, oomKills } = usage?.memory ?? {};
  return {
    cgroup: path,
    pod,
    cpu: value("cpu.shares", "cpu.weight"),
    "cpu limit": value("cpu.cfs_quota_us", "cpu.max"),
    "memory limit": Number.isFinite(limit) ? bytes(limit) : "-",
    pids: value("pids.max"),
    "cpu used": usageNanoSeconds === undefined ? "-" : `${(usageNanoSeconds / 1e9).toFixed(1)}s`,
    "memory used": workingSetBytes === undefined ? "-" : bytes(workingSetBytes),
    state: stateOf(open, plan),
    processes: usage?.pids ?? null,
    throttled: periods === undefined ? "-" : `${throttledPeriods}/${periods}`,
    "oom kills": oomKills ?? 0,
    files: files as unknown as Json,
    usage: (usage ?? null) as unknown as Json,
  };
}

/** Where the files of a cgroup stand now: as wanted, or the first that is not. */
export function stateOf(open: OpenCgroups, plan: readonly CgroupSetting[]): string {
  for (const { path, file, value } of plan) {
    const found = actual(open, path, file);
    if (found === null || !sameValue(file, value, found)) return `${file}: wanted ${value}, is ${found ?? "missing"}`;
  }
  return "ok";
}

/** Null: the file is not there. */
function actual({ files, layout }: OpenCgroups, path: string, file: string): string | null {
  const folder = cgroupFolder(layout, controllerOf(file), path);
  return folder === undefined ? null : (files.read(`${folder}/${file}`)?.trim() ?? null);
}

/** A plan: which file of which cgroup gets which value, and why. Pure. */

import { type CgroupVersion, formatQuantity, quantityOf, quantityOfMilli } from "@hooklet/core/rules";
import { pageSizeName } from "../rules/huge-pages.js";
import type { ResourceConfig } from "../rules/resource-config.js";

/** One line of a plan. */
export interface CgroupSetting {
  /** cgroupfs path below the hierarchies, for example `/kubepods/burstable`. */
  readonly path: string;
  readonly file: string;
  /** As it is written. */
  readonly value: string;
  /** The formula with its inputs. */
  readonly why: string;
}

export type Plan = readonly CgroupSetting[];

/** cpu.shares to cpu.weight: a strategy (option `weights`). 0 = not set. */
export type WeightsStrategy = (shares: number) => number;

/** What of the machine decides how settings become files. */
export interface FileRule {
  readonly version: CgroupVersion;
  readonly weights: WeightsStrategy;
  readonly weightsName: string;
  /** Bytes: page sizes that cgroups can limit here; empty where there is no hugetlb controller. */
  readonly hugePageSizes: readonly number[];
}

/** The reasons for each field of a config; a field without one is explained by its own value. */
export type Whys = Partial<Record<keyof ResourceConfig, string>>;

/** The files of one cgroup, in the order in which they are written. */
export function settingsOf(path: string, config: ResourceConfig, whys: Whys, rule: FileRule): Plan {
  const entries = rule.version === "v1" ? filesV1(config, whys, rule) : filesV2(config, whys, rule);
  return entries.map(([file, value, why = ""]) => ({ path, file, value, why }));
}

type Entry = readonly [file: string, value: string, why: string | undefined];

function filesV1(config: ResourceConfig, whys: Whys, { hugePageSizes }: FileRule): Entry[] {
  const entries: Entry[] = [];
  const { cpuShares, cpuPeriod, cpuQuota, cpuBurst, memory, pidsLimit, hugePageLimit } = config;
  if (cpuShares) entries.push(["cpu.shares", whole(cpuShares), whys.cpuShares]);
  if (cpuPeriod) entries.push(["cpu.cfs_period_us", whole(cpuPeriod), whys.cpuPeriod]);
  if (cpuQuota) entries.push(["cpu.cfs_quota_us", whole(cpuQuota), whys.cpuQuota]);
  if (cpuBurst !== undefined) entries.push(["cpu.cfs_burst_us", whole(cpuBurst), whys.cpuBurst]);
  if (memory) entries.push(["memory.limit_in_bytes", whole(memory), whys.memory]);
  if (pidsLimit) entries.push(["pids.max", pidsText(pidsLimit), whys.pidsLimit]);
  for (const bytes of hugePageLimit ? hugePageSizes : []) {
    const limit = hugePageLimit?.get(bytes) ?? 0;
    entries.push([`hugetlb.${pageSizeName(bytes)}.limit_in_bytes`, whole(limit), whys.hugePageLimit]);
  }
  return entries;
}

function filesV2(config: ResourceConfig, whys: Whys, rule: FileRule): Entry[] {
  const entries: Entry[] = [];
  const { cpuShares, cpuPeriod, cpuQuota, cpuBurst, memory, pidsLimit, hugePageLimit, unified } = config;
  const weight = cpuShares ? rule.weights(cpuShares) : 0;
  if (weight > 0) {
    const why = `${whys.cpuShares ?? ""}; ${cpuShares} shares by ${rule.weightsName}`;
    entries.push(["cpu.weight", whole(weight), why]);
  }
  if (cpuQuota || cpuPeriod) {
    const quota = cpuQuota && cpuQuota > 0 ? whole(cpuQuota) : "max";
    entries.push(["cpu.max", `${quota} ${whole(cpuPeriod ?? 100_000)}`, whys.cpuQuota]);
  }
  if (cpuBurst !== undefined) entries.push(["cpu.max.burst", whole(cpuBurst), whys.cpuBurst]);
  if (memory) entries.push(["memory.max", memory < 0 ? "max" : whole(memory), whys.memory]);
  if (pidsLimit) entries.push(["pids.max", pidsText(pidsLimit), whys.pidsLimit]);
  for (const bytes of hugePageLimit ? rule.hugePageSizes : []) {
    const limit = hugePageLimit?.get(bytes) ?? 0;
    entries.push([`hugetlb.${pageSizeName(bytes)}.max`, whole(limit), whys.hugePageLimit]);
  }
  for (const [file, value] of Object.entries(unified ?? {})) entries.push([file, value, whys.unified]);
  return entries;
}

function pidsText(limit: number): string {
  return limit < 0 ? "max" : whole(limit);
}

/** Without exponent, however great. */
function whole(amount: number): string {
  return BigInt(Math.trunc(amount)).toString();
}

/** The controller that a file belongs to: `cpu` of `cpu.shares`. */
export function controllerOf(file: string): string {
  const dot = file.indexOf(".");
  return dot === -1 ? file : file.slice(0, dot);
}

/** Formats amounts for the reasons of a plan. */
export function bytes(amount: number): string {
  return formatQuantity(quantityOf(amount, "BinarySI"));
}

export function milli(amount: number): string {
  return formatQuantity(quantityOfMilli(amount));
}

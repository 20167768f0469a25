/** Amounts of resources, ages and durations for people. Pure. */

import type { Resources } from "@hooklet/core";
import { invalid, parseDuration } from "@hooklet/utils";

const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/** Bytes as a quantity: the largest binary unit that divides them, `1536Mi`. */
function byteQuantity(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value !== 0 && value % 1024 === 0 && unit < BINARY.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value}${BINARY[unit] ?? ""}`;
}

/** Bytes rounded to three digits: `1.21GB`, as image lists show them. */
export function roundBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : Number(value.toPrecision(3))}${units[unit] ?? ""}`;
}

/** An amount of `Resources`, as a quantity: cpu in cores, memory and storage in bytes. */
export function amount(resource: string, value: number): string {
  if (resource === "cpu") return value % 1000 === 0 ? `${value / 1000}` : `${value}m`;
  return isBytes(resource) ? byteQuantity(value) : `${value}`;
}

const MEBIBYTE = 1024 ** 2;

/** The same in a short form: bytes as whole Mi, rounded down, where there are some. */
export function roundAmount(resource: string, value: number): string {
  const whole = isBytes(resource) && value > MEBIBYTE ? value - (value % MEBIBYTE) : value;
  return amount(resource, whole);
}

/** Names of all resources in these, those of Kubernetes first. */
export function resourceNames(...all: readonly Resources[]): readonly string[] {
  const names = new Set(all.flatMap((resources) => Object.keys(resources)));
  const known = ["cpu", "ephemeral-storage", "memory", "pods"];
  return [...known.filter((name) => names.has(name)), ...[...names].filter((name) => !known.includes(name)).sort()];
}

function isBytes(resource: string): boolean {
  return resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-");
}

// Ages and durations as kubectl shows and takes them.

const SECOND = 1000;
const DAY_HOURS = 24;
const YEAR_HOURS = 365 * DAY_HOURS;

/**
 * Milliseconds in at most two units, coarser the longer: `45s`, `3m20s`, `47h`, `2d3h`, `2y5d`. Up to 2 s below zero (clocks
 * differ) is `0s`, more is `<invalid>`. Source: k8s.io/apimachinery/pkg/util/duration, HumanDuration.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / DAY_HOURS);
  if (hours < 8 * DAY_HOURS) return two(days, "d", hours % DAY_HOURS, "h");
  if (hours < 2 * YEAR_HOURS) return `${days}d`;
  const years = Math.floor(hours / YEAR_HOURS);
  if (hours < 8 * YEAR_HOURS) return two(years, "y", days % 365, "d");
  return `${years}y`;
}

function two(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`;
}

/** Time since an RFC 3339 time; `<unknown>` without one. `now` in milliseconds since the epoch. */
export function age(time: string | null | undefined, now: number): string {
  return time === null || time === undefined ? "<unknown>" : humanDuration(now - Date.parse(time));
}

/**
 * Milliseconds of a Go duration such as `90s`, `1h30m`, or of plain seconds.
 * @throws NodeAgentError INVALID naming the option
 */
export function millisecondsOf(text: string, option: string): number {
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : parseDuration(text);
  if (seconds === undefined) throw invalid(option, "a duration such as 90s, 5m or 1h30m", text);
  return seconds * SECOND;
}

/** Resource amounts for people. Pure. */
import type { Resources } from "@hooklet/core";

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

/** Kubernetes objects as JSON and YAML, the way kubectl prints them: keys sorted, four blanks. */
import type { Pod } from "@hooklet/manifest";
import { quietJson } from "./escape.js";

export function podObject(pod: Pod): object {
  return { apiVersion: "v1", kind: "Pod", ...pod };
}

/** A v1 List. */
export function listOf(items: readonly object[]): object {
  return { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
}

export function toJson(value: unknown): string {
  return quietJson(JSON.stringify(sorted(value), null, 4));
}

export async function toYaml(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(sorted(value), { aliasDuplicateObjects: false, lineWidth: 0, indentSeq: false }).trimEnd();
}

/** Text in one of the two formats. */
export function toText(value: unknown, format: "json" | "yaml"): string | Promise<string> {
  return format === "json" ? toJson(value) : toYaml(value);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

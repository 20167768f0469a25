/** Validates values of a plan. All functions throw NodeAgentError INVALID with the expected and the given value. */
import { posix } from "node:path";
import { invalid } from "@hooklet/utils";
import type { LinuxContainerResources } from "../runtime/port.js";

/** Names of cgroup v2 files: `memory.high`. */
const CGROUP_FILE = /^[a-z]+(\.[A-Za-z0-9_]+)+$/;
/** Labels and annotations by which the agent finds its containers again. */
const RESERVED_ANNOTATION = /^io\.kubernetes\./;
/** As the CDI specification has them: `vendor.example/class=name`. */
const CDI_DEVICE =
  /^[A-Za-z](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\/[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9])?=[A-Za-z0-9](?:[A-Za-z0-9._:-]*[A-Za-z0-9])?$/;
const SYSTEMD_SLICE = /^[\w.@:\\-]{1,240}\.slice$/;

const resourceTypes = {
  cpuPeriod: "a whole number",
  cpuQuota: "a whole number",
  cpuShares: "a whole number",
  memoryLimitInBytes: "a whole number",
  memorySwapLimitInBytes: "a whole number",
  oomScoreAdj: "a whole number",
  cpusetCpus: "text",
  cpusetMems: "text",
} as const satisfies Partial<Record<keyof LinuxContainerResources, string>>;

export function text(what: string, value: unknown): asserts value is string {
  if (typeof value !== "string" || value.includes("\0")) throw invalid(what, "a text without NUL", value);
}

/** An absolute path, without `..`, `//` and a slash at its end: one path, one key. */
export function absolute(what: string, path: unknown): string {
  text(what, path);
  if (!path.startsWith("/")) throw invalid(what, "an absolute path", path);
  const clean = posix.normalize(path);
  return clean.length > 1 && clean.endsWith("/") ? clean.slice(0, -1) : clean;
}

export function annotationName(name: unknown): asserts name is string {
  text("Name of an annotation", name);
  if (!RESERVED_ANNOTATION.test(name)) return;
  throw invalid("Name of an annotation", "none under io.kubernetes., which is the agent's own", name);
}

export function cgroupFile(file: unknown, value: unknown): void {
  if (typeof file !== "string" || !CGROUP_FILE.test(file)) {
    throw invalid("Name of a cgroup file", "for example memory.high", file);
  }
  text(`cgroup file ${file}`, value);
}

export function cdiDevice(name: unknown): asserts name is string {
  if (typeof name === "string" && name.length <= 512 && CDI_DEVICE.test(name)) return;
  throw invalid("Name of a CDI device", "vendor.example/class=name", name);
}

/** An absolute cgroupfs path, cleaned, or the name of a systemd slice. */
export function cgroupParent(value: unknown): string {
  text("cgroup parent", value);
  if (SYSTEMD_SLICE.test(value)) return value;
  if (!value.startsWith("/") || value.split("/").includes("..")) {
    throw invalid("cgroup parent", "an absolute cgroupfs path without .., or the name of a systemd slice", value);
  }
  return absolute("cgroup parent", value);
}

/** One resource by CRI's name, but for `unified` and `hugepageLimits`. */
export function resource(name: string, value: unknown): void {
  const expected = Object.hasOwn(resourceTypes, name) ? resourceTypes[name as keyof typeof resourceTypes] : undefined;
  if (expected === undefined) throw invalid("Name of a resource", Object.keys(resourceTypes).join(", "), name);
  const fits = expected === "text" ? typeof value === "string" : Number.isSafeInteger(value);
  if (!fits) throw invalid(`resource ${name}`, expected, value);
}

/** A whole set of resources. */
export function resources(what: string, value: unknown): LinuxContainerResources {
  if (typeof value !== "object" || value === null) throw invalid(what, "an object of resources", value);
  const { unified, hugepageLimits, ...plain } = value as LinuxContainerResources;
  for (const [name, amount] of Object.entries(plain)) if (amount !== undefined) resource(name, amount);
  for (const [file, content] of Object.entries(unified ?? {})) cgroupFile(file, content);
  for (const limit of hugepageLimits ?? []) {
    if (typeof limit?.pageSize !== "string" || !Number.isSafeInteger(limit.limit)) {
      throw invalid(`hugepageLimits of ${what}`, "{pageSize: text, limit: a whole number}", limit);
    }
  }
  return value as LinuxContainerResources;
}

import { posix } from "node:path";
import type { LinuxContainerResources } from "@hooklet/cri-api";
import { ClaimConflictError, invalid } from "@hooklet/utils";

/** One field of a container or a sandbox that can have one owner only. */
interface Field {
  /** Two fields with the same key are the same thing on the node. */
  readonly key: string;
  /** As errors show it: `env FOO`, `mount /data`. */
  readonly text: string;
}

/** Who set which field of one container or sandbox. The first owner stays the owner; it may set its field again. */
export class Claims {
  readonly #owners = new Map<string, string>();
  readonly #fields = new Map<string, Field[]>();

  /** @param of what errors call the whole */
  constructor(private readonly of: "container" | "sandbox" = "container") {}

  /** @throws ClaimConflictError when another owner has the field */
  claim(field: Field, owner: string): void {
    const first = this.#owners.get(field.key);
    if (first !== undefined && first !== owner) {
      throw new ClaimConflictError(field.text, first, owner, this.of);
    }
    this.#owners.set(field.key, owner);
    if (first === undefined) this.#fields.set(owner, [...(this.#fields.get(owner) ?? []), field]);
  }

  /** By owner, in the order of their claims. */
  get owned(): ReadonlyMap<string, readonly Field[]> {
    return this.#fields;
  }
}

export const envField = (name: string): Field => ({ key: `env ${name}`, text: `env ${name}` });
export const annotationField = (name: string): Field => ({ key: `annotation ${name}`, text: `annotation ${name}` });
/** A mount and a device at one path hide each other, so they share the key. */
export const mountField = (path: string): Field => ({ key: `path ${path}`, text: `mount ${path}` });
export const deviceField = (path: string): Field => ({ key: `path ${path}`, text: `device ${path}` });

/** A CDI device has nodes, mounts and env of its own, which only the runtime knows: the claim is on its name. */
export const cdiDeviceField = (name: string): Field => ({ key: `cdi ${name}`, text: `CDI device ${name}` });

/** A field of a sandbox that is set as a whole. */
export const sandboxField = (name: "cgroup parent" | "resources" | "overhead" | "runtime handler"): Field => ({
  key: name,
  text: name,
});

/** CRI's names of cgroup values, and the cgroup v2 file that each ends up in. */
const cgroupFiles: Readonly<Record<string, string>> = {
  cpuPeriod: "cpu.max",
  cpuQuota: "cpu.max",
  cpuShares: "cpu.weight",
  memoryLimitInBytes: "memory.max",
  memorySwapLimitInBytes: "memory.swap.max",
  cpusetCpus: "cpuset.cpus",
  cpusetMems: "cpuset.mems",
};

/** A resource by CRI's name: where it is a cgroup file, the same field as that file set by `setUnified`. */
export function resourceField(name: string): Field {
  const file = cgroupFiles[name];
  if (file === undefined) return { key: `resource ${name}`, text: `resource ${name}` };
  return { key: `cgroup ${file}`, text: `resource ${name} (cgroup file ${file})` };
}

/** What the container's program sees: env, mounts, devices. */
export const isSeenInside = ({ key }: Field): boolean => /^(?:env|path|cdi) /.test(key);

export const cgroupField = (file: string): Field => ({ key: `cgroup ${file}`, text: `cgroup file ${file}` });

/** Huge page limits are one file per page size: `2MB` is `hugetlb.2MB.max`. */
export const hugepageField = (pageSize: string): Field => cgroupField(`hugetlb.${pageSize}.max`);

// Validates values of a plan. All functions throw NodeAgentError INVALID with the expected and the given value.

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

import { ClaimConflictError } from "@hooklet/utils";

/** One field of a container or a sandbox that can have one owner only. */
export interface Field {
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

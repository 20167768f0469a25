import { ClaimConflictError } from "../errors.js";
/** Who set which field of one container or sandbox. The first owner stays the owner; it may set its field again. */
export class Claims {
  of;
  #owners = new Map();
  /** @param of what errors call the whole */
  constructor(of = "container") {
    this.of = of;
  }
  /** @throws ClaimConflictError when somebody else has the field */
  claim(field, owner) {
    const first = this.#owners.get(field.key);
    if (first !== undefined && first !== owner) {
      throw new ClaimConflictError(field.text, first, owner, this.of);
    }
    this.#owners.set(field.key, owner);
  }
}
export const envField = (name) => ({ key: `env ${name}`, text: `env ${name}` });
export const annotationField = (name) => ({ key: `annotation ${name}`, text: `annotation ${name}` });
/** A mount and a device at one path hide each other, so they share the key. */
export const mountField = (path) => ({ key: `path ${path}`, text: `mount ${path}` });
export const deviceField = (path) => ({ key: `path ${path}`, text: `device ${path}` });
/** A CDI device has nodes, mounts and env of its own, which only the runtime knows: its name is what is claimed. */
export const cdiDeviceField = (name) => ({ key: `cdi ${name}`, text: `CDI device ${name}` });
/** A field of a sandbox that is set as a whole. */
export const sandboxField = (name) => ({ key: name, text: name });
/** CRI's names of cgroup values, and the cgroup v2 file that each ends up in. */
const cgroupFiles = {
  cpuPeriod: "cpu.max",
  cpuQuota: "cpu.max",
  cpuShares: "cpu.weight",
  memoryLimitInBytes: "memory.max",
  memorySwapLimitInBytes: "memory.swap.max",
  cpusetCpus: "cpuset.cpus",
  cpusetMems: "cpuset.mems",
};
/** A resource by CRI's name: where it is a cgroup file, the same field as that file set by `setUnified`. */
export function resourceField(name) {
  const file = cgroupFiles[name];
  if (file === undefined) return { key: `resource ${name}`, text: `resource ${name}` };
  return { key: `cgroup ${file}`, text: `resource ${name} (cgroup file ${file})` };
}
export const cgroupField = (file) => ({ key: `cgroup ${file}`, text: `cgroup file ${file}` });
/** Huge page limits are one file per page size: `2MB` is `hugetlb.2MB.max`. */
export const hugepageField = (pageSize) => cgroupField(`hugetlb.${pageSize}.max`);

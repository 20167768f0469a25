/** One field of a container or a sandbox that can have one owner only. */
export interface Field {
  /** Two fields with the same key are the same thing on the node. */
  readonly key: string;
  /** As errors show it: `env FOO`, `mount /data`. */
  readonly text: string;
}
/** Who set which field of one container or sandbox. The first owner stays the owner; it may set its field again. */
export declare class Claims {
  #private;
  private readonly of;
  /** @param of what errors call the whole */
  constructor(of?: "container" | "sandbox");
  /** @throws ClaimConflictError when somebody else has the field */
  claim(field: Field, owner: string): void;
}
export declare const envField: (name: string) => Field;
export declare const annotationField: (name: string) => Field;
/** A mount and a device at one path hide each other, so they share the key. */
export declare const mountField: (path: string) => Field;
export declare const deviceField: (path: string) => Field;
/** A CDI device has nodes, mounts and env of its own, which only the runtime knows: its name is what is claimed. */
export declare const cdiDeviceField: (name: string) => Field;
/** A field of a sandbox that is set as a whole. */
export declare const sandboxField: (name: "cgroup parent" | "resources" | "overhead") => Field;
/** A resource by CRI's name: where it is a cgroup file, the same field as that file set by `setUnified`. */
export declare function resourceField(name: string): Field;
export declare const cgroupField: (file: string) => Field;
/** Huge page limits are one file per page size: `2MB` is `hugetlb.2MB.max`. */
export declare const hugepageField: (pageSize: string) => Field;

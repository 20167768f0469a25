/** A cgroup of its own for all pods of a node, and what the rc file says about it: plugin-cgroups limits it. */
import { totalmem } from "node:os";
import path from "node:path";
import { removeCgroup } from "../../scripts/machine.mjs";

export interface PodsCgroup {
  readonly node: object;
  readonly plugins: readonly unknown[];
  /** Takes it away. */
  release(): void;
}

/** @param mebibytes memory of all pods together; undefined: no limit but the machine's */
export function podsCgroup(folder: string, mebibytes: number | undefined): PodsCgroup {
  const name = `/${path.basename(folder)}`;
  const bytes = (mebibytes ?? 0) * 1024 * 1024;
  return {
    node: mebibytes === undefined ? {} : { systemReserved: { memory: String(totalmem() - bytes) } },
    plugins: [["cgroups", { cgroupRoot: name }]],
    release: () => removeCgroup(name),
  };
}

/** A cgroup of its own for all pods of a node, and what the rc file says about it: plugin-cgroups limits it. */
import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { totalmem } from "node:os";
import path from "node:path";

export interface PodsCgroup {
  readonly node: object;
  readonly plugins: readonly unknown[];
  /** Takes it away. */
  release(): void;
}

const CGROUPS = "/sys/fs/cgroup";

/** @param mebibytes memory of all pods together; undefined: no limit but the machine's */
export function podsCgroup(folder: string, mebibytes: number | undefined): PodsCgroup {
  const name = `/${path.basename(folder)}`;
  const bytes = (mebibytes ?? 0) * 1024 * 1024;
  return {
    node: mebibytes === undefined ? {} : { systemReserved: { memory: String(totalmem() - bytes) } },
    plugins: [["cgroups", { cgroupRoot: name }]],
    release: () => {
      const v2 = existsSync(`${CGROUPS}/cgroup.controllers`);
      const parents = v2 ? [CGROUPS] : readdirSync(CGROUPS).map((controller) => `${CGROUPS}/${controller}`);
      for (const parent of parents) removeCgroup(`${parent}${name}`);
    },
  };
}

function removeCgroup(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeCgroup(path.join(folder, entry.name));
  }
  try {
    rmdirSync(folder);
  } catch (error) {
    process.stderr.write(`cgroup ${folder} is left behind: ${String(error)}\n`);
  }
}

/** Where a runtime keeps a container's processes below the pod's cgroup. */

import { type CgroupLayout, cgroupFolder } from "@hooklet/core/rules";
import type { CgroupDriver } from "../name/name.js";
import type { CgroupFiles } from "./port.js";

/** The cgroup of CRI-O's helper, a sibling of the container's. */
const HELPER = "-conmon-";

/**
 * The last component of a container's cgroup: its id with cgroupfs, with systemd a scope whose prefix is the runtime's
 * (`cri-containerd-ID.scope`, `crio-ID.scope`). Undefined while there is none.
 */
export function containerFolder(
  files: Pick<CgroupFiles, "directories">,
  layout: CgroupLayout,
  driver: CgroupDriver,
  { podPath, id }: { readonly podPath: string; readonly id: string },
): string | undefined {
  if (driver === "cgroupfs") return id;
  const folder = cgroupFolder(layout, "memory", podPath);
  if (folder === undefined) return undefined;
  return files.directories(folder).find((name) => name.endsWith(`-${id}.scope`) && !name.includes(HELPER));
}

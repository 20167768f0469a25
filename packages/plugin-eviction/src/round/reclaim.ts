/** What is tried on the node before a pod goes. */
import { type DiskLayout, isDedicated, isSplit } from "../layout.js";
import type { Signal } from "../signals.js";

/** `containers`: all dead ones, of ended pods too. `images`: all unused ones. Other plugins do the work. */
export type ReclaimFunction = "containers" | "images";

const BOTH: readonly ReclaimFunction[] = ["containers", "images"];

export function reclaimFunctions(layout: DiskLayout): Readonly<Record<Signal, readonly ReclaimFunction[]>> {
  const { nodefs, imagefs, containerfs } = byDisk(layout);
  return {
    "memory.available": [],
    "allocatableMemory.available": [],
    "pid.available": [],
    "psi.memory.some": [],
    "psi.memory.full": [],
    "psi.io.some": [],
    "psi.io.full": [],
    "nodefs.available": nodefs,
    "nodefs.inodesFree": nodefs,
    "imagefs.available": imagefs,
    "imagefs.inodesFree": imagefs,
    "containerfs.available": containerfs,
    "containerfs.inodesFree": containerfs,
  };
}

function byDisk(
  layout: DiskLayout,
): Readonly<Record<"nodefs" | "imagefs" | "containerfs", readonly ReclaimFunction[]>> {
  if (isDedicated(layout)) return { nodefs: [], imagefs: BOTH, containerfs: BOTH };
  if (isSplit(layout)) return { nodefs: ["containers"], imagefs: ["images"], containerfs: ["containers"] };
  return { nodefs: BOTH, imagefs: BOTH, containerfs: BOTH };
}

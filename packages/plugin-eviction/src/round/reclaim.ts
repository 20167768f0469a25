/** What is tried on the node before a pod goes. Pure. */
import { type DiskLayout, isDedicated, isSplit } from "../layout.js";
import { isStallSignal, type Signal, type StallSignal } from "../signals.js";

/** `containers`: all dead ones, of ended pods too. `images`: all unused ones. Other plugins do the work. */
export type ReclaimFunction = "containers" | "images";

const BOTH: readonly ReclaimFunction[] = ["containers", "images"];

/** What is tried for a signal, in this order. */
export function reclaimFor(signal: Signal, layout: DiskLayout): readonly ReclaimFunction[] {
  return isStallSignal(signal) ? [] : reclaimFunctions(layout)[signal];
}

/** Of the kubelet's signals. */
export function reclaimFunctions(
  layout: DiskLayout,
): Readonly<Record<Exclude<Signal, StallSignal>, readonly ReclaimFunction[]>> {
  const { nodefs, imagefs, containerfs } = byDisk(layout);
  return {
    "memory.available": [],
    "allocatableMemory.available": [],
    "pid.available": [],
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

/** When a rejection is preemption's business (pkg/kubelet/preemption HandleAdmissionFailure). Pure. */

import type { Pod, Rejection } from "@hooklet/core";
import { isCriticalPod } from "@hooklet/core/rules";
import { type Requirement, requirementOf } from "./requirements.js";

/** The reasons that stay, or what must be freed so that none does. */
export type Repair =
  | { readonly rejections: readonly Rejection[]; readonly requirements?: undefined }
  | { readonly requirements: readonly Requirement[] };

/** Only critical pods displace others, and only when resources are all they lack: of several reasons the others stay. */
export function repairOf(pod: Pod, rejections: readonly Rejection[]): Repair {
  if (!isCriticalPod(pod)) return { rejections };
  const others = rejections.filter(({ shortfall }) => shortfall === undefined);
  if (others.length > 0) return { rejections: others };
  return {
    requirements: rejections.flatMap(({ shortfall }) => (shortfall === undefined ? [] : [requirementOf(shortfall)])),
  };
}

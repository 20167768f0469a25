/** Short answers from a pod's status. Pure. */
import type { Pod } from "@hooklet/manifest";

/** Whether the pod's Ready condition is True. */
export function podReady({ status }: Pick<Pod, "status">): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
}

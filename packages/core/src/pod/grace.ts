/** Pure. */
import { boundedSeconds } from "@hooklet/utils";
import type { PodState } from "./state.js";

/** Seconds that the pod has to stop, at most `MAX_SECONDS`. */
export function grace(state: PodState): number {
  const asked = state.life.kind === "terminating" ? state.life.gracePeriodSeconds : state.removal?.gracePeriodSeconds;
  return boundedSeconds(asked ?? state.pod.spec.terminationGracePeriodSeconds ?? 30);
}

/** The kubelet waits at least so long for a kill. */
const MINIMUM_WAIT = 10;

/** Seconds that a blocking kill with this grace period may take: 1.5 times as long, at least 10. */
export function killTimeoutSeconds(gracePeriodSeconds: number): number {
  return Math.max(MINIMUM_WAIT, gracePeriodSeconds + Math.floor(gracePeriodSeconds / 2));
}

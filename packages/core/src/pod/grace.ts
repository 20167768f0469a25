import type { PodState } from "./state.js";

/** Seconds that the pod has to stop. */
export function grace(state: PodState): number {
  const asked = state.life.kind === "terminating" ? state.life.gracePeriodSeconds : state.removal?.gracePeriodSeconds;
  return asked ?? state.pod.spec.terminationGracePeriodSeconds ?? 30;
}

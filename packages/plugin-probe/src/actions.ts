/** What a changed result does (the kubelet's sync loop). Pure. */
import type { Pod } from "@hooklet/core";
import { containerRestartPolicy } from "@hooklet/core/rules";
import type { ProbeKind, Result } from "./types.js";

export interface Action {
  /** What the container's status says from now on. */
  readonly statusWrite: { readonly ready: boolean } | { readonly started: boolean } | undefined;
  /** The pod is looked at anew. */
  readonly syncPod: boolean;
  /** The container is killed; its restart policy says what comes next. */
  readonly kill: boolean;
  /** The kubelet's word in its log; undefined where it logs nothing. */
  readonly logStatus: string | undefined;
}

export function actionOf(kind: ProbeKind, result: Result, podKnown = true): Action {
  const success = result === "success";
  switch (kind) {
    case "liveness": {
      const failed = result === "failure";
      return {
        statusWrite: undefined,
        syncPod: failed && podKnown,
        kill: failed,
        logStatus: failed ? "unhealthy" : undefined,
      };
    }
    case "readiness":
      return { statusWrite: { ready: success }, syncPod: podKnown, kill: false, logStatus: success ? "ready" : "" };
    case "startup":
      return {
        statusWrite: { started: success },
        syncPod: podKnown,
        kill: result === "failure",
        logStatus: success ? "started" : "unhealthy",
      };
  }
}

/** Text of the `Killing` event (the kubelet's computePodActions and computeInitContainerActions). */
export function killMessage(pod: Pod, container: string, kind: ProbeKind): string {
  const main = pod.spec.containers.find(({ name }) => name === container);
  if (main === undefined) return `Init container ${container} failed ${kind} probe`;
  // Its rules are for exit codes: it has none yet.
  const restarts = containerRestartPolicy(pod, main) !== "Never";
  return `Container ${container} failed ${kind} probe${restarts ? ", will be restarted" : ""}`;
}

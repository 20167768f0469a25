/** The kubelet's messages about a shutdown, verbatim (pkg/kubelet/nodeshutdown). Pure. */

export const notAdmitted = {
  reason: "NodeShutdown",
  message: "Pod was rejected as the node is shutting down.",
} as const;

export const terminated = {
  reason: "Terminated",
  message: "Pod was terminated in response to imminent node shutdown.",
} as const;

export const disruption = {
  type: "DisruptionTarget",
  reason: "TerminationByKubelet",
  message: terminated.message,
} as const;

export const notReady = { status: "False", reason: "KubeletNotReady", message: "node is shutting down" } as const;

/** Of the node's event Shutdown. */
export function detected(isGoingDown: boolean): string {
  return `Shutdown manager detected ${isGoingDown ? "shutdown event" : "shutdown cancellation"}`;
}

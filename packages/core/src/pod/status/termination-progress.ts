/** Why a pod ends and what its end waits for, in words. Pure. */
import type { TerminationCause } from "../../hooks/termination.js";
import type { PodState } from "../state.js";

/** What the end of a pod is at: the kubelet's order. */
export interface Ending {
  readonly step: "taps" | "containers" | "afterStop" | "volumes" | "removal";
  /** Why the last try of the step came to nothing; it alone is tried again. */
  readonly failure?: string;
}

/** What a pod on its way out waits for. */
export function terminationProgress(state: PodState, ending: Ending | undefined): string {
  const { life, removal } = state;
  const isEnding =
    life.kind === "terminating" || ((life.kind === "ended" || life.kind === "rejected") && removal !== undefined);
  if (ending === undefined || !isEnding) return "";
  const why = ending.failure === undefined ? "" : `, which failed and is tried again: ${ending.failure}`;
  return `; waits for ${stepWords(state, ending)}${why}`;
}

function stepWords(state: PodState, { step }: Ending): string {
  switch (step) {
    case "taps":
      return "plugins that want to know before it stops (podTerminate)";
    case "containers": {
      const names = Object.entries(state.containers).flatMap(([name, { kind }]) => (kind === "running" ? name : []));
      if (names.length === 0) return "its sandbox to stop";
      return `${names.length === 1 ? "container" : "containers"} ${names.join(", ")} to stop`;
    }
    case "afterStop":
      return "plugins to take back what they gave it (afterStop)";
    case "volumes":
      return "its volumes to be emptied";
    case "removal":
      return "its containers, volumes and logs to be removed";
  }
}

/** Why it is stopped, or was. */
export function causeMessage(cause: TerminationCause): string {
  switch (cause.kind) {
    case "evicted":
      return `evicted by ${cause.by} (${cause.reason}): ${cause.message}`;
    case "rejected":
      return `refused (${cause.reason}): ${cause.message}`;
    case "deleted":
      return "it was deleted";
    case "replaced":
      return "its manifest changed, the new one follows";
    case "deadline":
      return "it was active longer than its activeDeadlineSeconds";
    case "orphaned":
      return "no source wants it any more";
    case "shutdown":
      return "the agent stops its pods";
    case "completed":
      return "its containers are done";
  }
}

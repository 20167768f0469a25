/** What a run tells of each pod, in a form in which a simulated and a real one can be compared. Pure. */

/** By pod, as `namespace/name`. */
export type Told = Readonly<Record<string, PodTold>>;

export interface PodTold {
  /** `Reason container: message`, in order; the same again right after itself is one. */
  readonly events: readonly string[];
  /** `plugin strategy: outcome`, in order, the same way. */
  readonly decisions: readonly string[];
  /** Phase, and ready or not, as they followed each other. */
  readonly states: readonly string[];
  /** Restarts of all containers at the end; reasons of containers that have ended for good. */
  readonly end: string;
}

export interface EventSeen {
  readonly pod: string;
  readonly reason: string;
  readonly container: string | undefined;
  readonly message: string;
}

export interface DecisionSeen {
  readonly plugin: string;
  readonly strategy: string;
  readonly outcome: string;
}

/**
 * Without what differs from run to run: ids, uids, addresses, and how long something took. How often something was tried until it
 * worked is a matter of the machine's speed: hence repeats are one.
 */
export function masked(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replaceAll(/[0-9a-f]{64}/g, "<id>")
    .replaceAll(/\b\d+(\.\d+){3}\b/g, "<ip>")
    .replaceAll(/\b\d+(\.\d+)?(ms|µs|s)\b/g, "<time>")
    .trim();
}

export function eventText({ reason, container, message }: Omit<EventSeen, "pod">): string {
  return `${reason}${container === undefined ? "" : ` ${container}`}: ${masked(message)}`;
}

export function decisionText({ plugin, strategy, outcome }: DecisionSeen): string {
  return `${plugin.replace(/^@hooklet\/plugin-/, "")} ${strategy}: ${masked(outcome)}`;
}

export function withoutRepeats(texts: readonly string[]): readonly string[] {
  return texts.filter((text, index) => text !== texts[index - 1]);
}

interface EndedPod {
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly containerStatuses?: readonly EndedContainer[];
    readonly initContainerStatuses?: readonly EndedContainer[];
  };
}

interface EndedContainer {
  readonly restartCount: number;
  readonly state?: { readonly terminated?: { readonly reason?: string } };
}

export function endText({ status = {} }: EndedPod): string {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const restarts = containers.reduce((sum, { restartCount }) => sum + restartCount, 0);
  return `${status.phase ?? "Pending"} ${status.reason ?? ""}, ${restarts} restarts`;
}

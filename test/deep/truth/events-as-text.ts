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
  /** Phase, its reason, restarts of all containers; of each container that has ended, why it did the last time. */
  readonly end: string;
}

export interface EventSeen {
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

export function eventText({ reason, container, message }: EventSeen): string {
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

interface Ended {
  readonly terminated?: { readonly reason?: string };
}

interface EndedContainer {
  readonly name: string;
  readonly restartCount: number;
  readonly state?: Ended;
  readonly lastState?: Ended;
}

export function endText({ status = {} }: EndedPod): string {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const restarts = containers.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const reasons = containers.flatMap(({ name, state, lastState }): [string, string][] => {
    const { reason } = state?.terminated ?? lastState?.terminated ?? {};
    return reason === undefined ? [] : [[name, reason]];
  });
  return wholeEnd(status.phase ?? "Pending", status.reason ?? "", restarts, new Map(reasons));
}

/** @param reasons by container */
export function wholeEnd(
  phase: string,
  reason: string,
  restarts: number,
  reasons: ReadonlyMap<string, string>,
): string {
  const ended = [...reasons].map(([container, why]) => `, ${container} ${why}`).sort();
  return `${phase} ${reason}, ${restarts} restarts${ended.join("")}`;
}

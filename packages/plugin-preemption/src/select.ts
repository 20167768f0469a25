/** Selects the victims for a pod, or the reason why there are none, as one pure function. Pure. */
import type { Pod } from "@hooklet/core";
import { thrownText } from "@hooklet/core/subsystem";
import { type Candidate, candidatesFor } from "./candidate.js";
import { type Requirement, requirementsText, subtract } from "./requirements.js";
import { isEnding } from "./strategies.js";
import type { Victim, VictimsInput, VictimsStrategy } from "./victims.js";

export interface SelectionInput {
  readonly preemptor: Pod;
  /** The other pods that hold resources of the node. Their order decides complete ties: see `inOrder`. */
  readonly pods: readonly Pod[];
  readonly requirements: readonly Requirement[];
  readonly strategy: VictimsStrategy;
  /** As the rc file names it. */
  readonly strategyName: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Selection {
  /** In the order of the kills; empty when there is a failure. */
  readonly victims: readonly Candidate[];
  /** All pods that might have gone. */
  readonly candidates: readonly Candidate[];
  /** The strategy's messages about victims, by uid. */
  readonly words: ReadonlyMap<string, string>;
  /** Why there are no victims although resources are required. */
  readonly failure?: string;
  /** The strategy threw, or its answer cannot be used. */
  readonly isFault?: true;
}

/**
 * The selection for one pod. `begun`: uids of victims that an earlier agent had chosen for this pod. Those among them that stop already
 * come first; the others follow if they are still needed; further victims only for what is missing then.
 */
export function choose(input: SelectionInput, begun: readonly string[] = []): Selection {
  const { preemptor, pods, requirements, now } = input;
  const chosenThen = (pod: Pod): boolean => begun.includes(pod.metadata.uid);
  const earlier = candidatesFor(preemptor, pods.filter(chosenThen), requirements);
  if (earlier.length === 0) return selectVictims(input);
  const candidates = candidatesFor(preemptor, pods, requirements);
  const words = new Map(earlier.map(({ uid }) => [uid, "chosen before the agent was restarted"]));
  const stopping = earlier.filter(({ pod }) => isEnding(pod, now));
  for (const victims of [stopping, earlier]) {
    if (subtract(requirements, victims).length === 0) return { victims, candidates, words };
  }
  const rest = selectVictims({
    ...input,
    pods: pods.filter((pod) => !chosenThen(pod)),
    requirements: subtract(requirements, earlier),
  });
  if (rest.failure !== undefined) return { ...rest, candidates };
  return { victims: [...earlier, ...rest.victims], candidates, words: new Map([...words, ...rest.words]) };
}

export function selectVictims(input: SelectionInput): Selection {
  const { preemptor, pods, requirements, strategy, strategyName, now } = input;
  const candidates = candidatesFor(preemptor, pods, requirements);
  const noVictims = (failure?: string): Selection => ({
    victims: [],
    candidates,
    words: new Map(),
    ...(failure === undefined ? {} : { failure }),
  });
  if (requirements.length === 0) return noVictims();
  const left = subtract(requirements, candidates);
  if (left.length > 0) return noVictims(`no set of running pods found to reclaim resources: ${requirementsText(left)}`);
  const refuse = (what: string): Selection => ({
    ...noVictims(`strategy "${strategyName}" ${what}. Fix it, or choose another one for "victims".`),
    isFault: true,
  });
  try {
    // Its own lists, to sort as it likes; what the answer is checked against is frozen.
    const asked = { preemptor, candidates: [...candidates], requirements: requirements.map(frozen), now };
    const answer: unknown = strategy(asked);
    const declined = declinedBecause(answer);
    if (declined !== undefined) return noVictims(`strategy "${strategyName}" evicts no pod: ${declined}`);
    const victims = checked(answer, candidates, requirements);
    if (typeof victims === "string") return refuse(victims);
    const words = (answer as readonly Victim[]).flatMap(({ uid, why }) =>
      why === undefined ? [] : [[uid, why] as const],
    );
    return { victims, candidates, words: new Map(words) };
  } catch (error) {
    return refuse(`failed: ${thrownText(error)}`);
  }
}

/** What is wrong with a strategy's answer; undefined when it may be used. For tests of your own strategy. */
export function victimsFault(answer: unknown, { candidates, requirements }: VictimsInput): string | undefined {
  if (declinedBecause(answer) !== undefined) return undefined;
  const victims = checked(answer, candidates, requirements);
  return typeof victims === "string" ? victims : undefined;
}

function declinedBecause(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("decline" in answer)) return undefined;
  return typeof answer.decline === "string" && answer.decline !== "" ? answer.decline : "it gives no reason";
}

function frozen(requirement: Requirement): Requirement {
  return Object.freeze({ ...requirement });
}

/** The victims of a strategy's answer, or what is wrong with it. */
function checked(
  answer: unknown,
  candidates: readonly Candidate[],
  requirements: readonly Requirement[],
): readonly Candidate[] | string {
  if (answer instanceof Promise) return "returned a promise, expected an array of victims at once";
  if (!Array.isArray(answer))
    return `returned ${answer === null ? "null" : typeof answer}, expected an array of victims`;
  const byUid = new Map(candidates.map((candidate) => [candidate.uid, candidate]));
  const victims = new Set<Candidate>();
  for (const one of answer as readonly unknown[]) {
    const { uid, why } = (typeof one === "object" && one !== null ? one : {}) as { uid?: unknown; why?: unknown };
    const candidate = typeof uid === "string" ? byUid.get(uid) : undefined;
    if (candidate === undefined) return `chose ${JSON.stringify(uid) ?? "a victim without uid"}, which is no candidate`;
    if (victims.has(candidate)) return `chose pod ${candidate.name} twice`;
    if (why !== undefined && typeof why !== "string") return `gave a reason for pod ${candidate.name} that is no text`;
    victims.add(candidate);
  }
  const list = [...victims];
  const left = subtract(requirements, list);
  return left.length === 0 ? list : `frees too little: ${requirementsText(left)} is still missing`;
}

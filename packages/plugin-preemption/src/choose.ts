/** The choice for one pod, with what an earlier life of the agent had begun for it. Pure. */
import type { Pod } from "@hooklet/core";
import { candidatesFor } from "./candidate.js";
import { subtract } from "./requirements.js";
import { type Selection, type SelectionInput, selectVictims } from "./select.js";
import { isEnding } from "./strategies/least-disruption.js";

/**
 * `begun`: uids of the victims that were chosen for this pod before the agent died. Those among them that stop already
 * come first; the others as well if they are still needed; anybody else only for what is missing then.
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

/** The outcome for each pod of the node, for `hooklet explain`. Pure. */
import { type Decision, type Pod, podSubject } from "@hooklet/core";
import { isCriticalPod, isStaticPod } from "@hooklet/core/rules";
import type { Candidate } from "./candidate.js";
import { distance, type Requirement } from "./requirements.js";
import type { Selection } from "./select.js";

type Row = Decision["considered"][number];

/** Rows of one decision: enough for a full node, and a bound for a fuller one. */
const ROWS = 250;

/** Victims in the order of their kills, then candidates that were spared, the nearest first, then those that are protected. */
export function verdicts(
  { victims, candidates, words }: Selection,
  pods: readonly Pod[],
  requirements: readonly Requirement[],
): readonly Row[] {
  const chosen = new Set(victims);
  const spared = candidates
    .filter((candidate) => !chosen.has(candidate))
    .map((candidate) => ({ candidate, near: distance(requirements, candidate.requests) }))
    .sort((a, b) => a.near - b.near)
    .map(({ candidate }) => candidate);
  const known = new Set(candidates.map(({ pod }) => pod));
  const shielded = pods.filter((pod) => !known.has(pod));
  const row = (candidate: Candidate, verdict: string): Row => ({
    candidate: podSubject(candidate.pod),
    verdict,
    why: why(candidate, requirements, words.get(candidate.uid)),
  });
  const all = [
    ...victims.map((candidate) => () => row(candidate, "victim")),
    ...spared.map((candidate) => () => row(candidate, "spared")),
    ...shielded.map((pod) => () => ({ candidate: podSubject(pod), verdict: "protected", why: shield(pod) })),
  ];
  const rows = all.slice(0, ROWS).map((make) => make());
  if (all.length <= ROWS) return rows;
  return [
    ...rows,
    { candidate: `${all.length - ROWS} more pods`, verdict: "not shown", why: `more than ${ROWS} pods` },
  ];
}

function why(
  { qosClass, requests }: Candidate,
  requirements: readonly Requirement[],
  words: string | undefined,
): string {
  const gives = requirements.map(({ resource, quantity }) => `${resource} ${requests[resource] ?? 0} of ${quantity}`);
  const near = `distance ${Number(distance(requirements, requests).toPrecision(4))}`;
  return [qosClass, `gives ${gives.join(", ")}`, near, ...(words === undefined ? [] : [words])].join("; ");
}

function shield(pod: Pod): string {
  if (isStaticPod(pod)) return "critical: it is static";
  const { priority } = pod.spec;
  if (isCriticalPod(pod))
    return `critical: ${priority === undefined ? "it mirrors a static pod" : `priority ${priority}`}`;
  return `priority ${priority ?? "not set"} is not below that of the other pod`;
}

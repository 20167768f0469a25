/** What was made of every pod of the node, for `hooklet explain` and `hooklet plan`. Pure. */
import { type Decision, type Pod, podSubject } from "@hooklet/core";
import { isCriticalPod, isStaticPod } from "@hooklet/core/rules";
import { type EvictionCandidate, isRequested } from "./candidates.js";
import { amountText } from "./messages.js";
import type { VictimChoice } from "./round.js";
import type { StarvedResource } from "./signals.js";

type Row = Decision["considered"][number];

/** Rows of one decision: enough for a full node, and a bound for a fuller one. */
const ROWS = 250;

/** The victim, then the others in the order in which they would follow, then those that are protected. */
export function consideredRows(
  resource: StarvedResource,
  { order, words, victim }: Pick<VictimChoice, "order" | "words" | "victim">,
  pods: readonly Pod[],
): readonly Row[] {
  const rows: Row[] = order.slice(0, ROWS).map((candidate) => ({
    candidate: podSubject(candidate.pod),
    verdict: candidate === victim ? "victim" : "spared",
    why: whyOf(resource, candidate, words.get(candidate.uid)),
  }));
  for (const pod of pods) {
    if (rows.length >= ROWS) break;
    if (isCriticalPod(pod)) rows.push({ candidate: podSubject(pod), verdict: "protected", why: shield(pod) });
  }
  const left = pods.length - rows.length;
  if (left <= 0) return rows;
  return [...rows, { candidate: `${left} more pods`, verdict: "not shown", why: `more than ${ROWS} pods` }];
}

function whyOf(resource: StarvedResource, candidate: EvictionCandidate, words: string | undefined): string {
  const { known, usage, request, priority } = candidate;
  const amount = (value: number): string => amountText(resource, value);
  const requested = isRequested(resource) ? ` of ${amount(request)} requested` : "";
  const over = usage > request && requested !== "" ? "over its request; " : "";
  const used = known ? `${over}uses ${amount(usage)} ${resource}${requested}` : "no statistics";
  return [used, `priority ${priority}`, ...(words === undefined ? [] : [words])].join("; ");
}

function shield(pod: Pod): string {
  if (isStaticPod(pod)) return "critical: it is static";
  const { priority } = pod.spec;
  return `critical: ${priority === undefined ? "it mirrors a static pod" : `priority ${priority}`}`;
}

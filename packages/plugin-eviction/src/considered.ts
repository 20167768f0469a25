/** The outcome for each pod of the node, for `hooklet explain` and `hooklet plan`. Pure. */
import { type Decision, type Pod, podSubject } from "@hooklet/core";
import { isCriticalPod, isStaticPod } from "@hooklet/core/rules";
import { type EvictionCandidate, isRequested } from "./candidates.js";
import { amountText, availableText, valueText } from "./messages.js";
import type { EvictionState, VictimChoice } from "./round.js";
import { conditionOf, isCounted, isStallSignal, resourceOf, type Signal, type StarvedResource } from "./signals.js";

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

/** The signals behind the node's conditions: the available amount and the threshold. */
export function pressureRows({ thresholds, due, conditions, observations }: EvictionState): readonly Row[] {
  return thresholds.flatMap((threshold) => {
    const { signal } = threshold;
    const seen = observations.get(signal);
    if (seen === undefined || !conditions.includes(conditionOf(signal))) return [];
    const isDue = due.includes(threshold);
    const limit = `the threshold of ${valueText(threshold)}`;
    const why = isStallSignal(signal)
      ? `${availableText(signal, seen)} of the time, with ${limit}`
      : `${rounded(signal, seen.available)} of ${rounded(signal, seen.capacity)}, with ${limit}`;
    return [{ candidate: signal, verdict: isDue ? "crossed" : "not crossed now", why }];
  });
}

const UNITS = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/** Bytes with three digits: a reader compares them, no program does. */
function rounded(signal: Signal, amount: number): string {
  if (isCounted(resourceOf(signal))) return amountText(resourceOf(signal), amount);
  const power = amount < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(amount) / 10));
  return `${Number((amount / 1024 ** power).toPrecision(3))}${UNITS[power]}`;
}

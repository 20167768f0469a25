/** Who has what a rejected pod is missing: for `hooklet explain`. Pure. */

import type { Pod, Resources } from "@hooklet/manifest";
import { podRequests } from "@hooklet/manifest";
import type { Rejection, ResourceShortfall } from "../hooks/verdict.js";
import type { Decision } from "../plugin/contract.js";
import { podSubject } from "../plugin/subject.js";

/** Holders named per resource; a decision stays small also on a node of a thousand pods. */
const NAMED = 10;

/** Rows for each resource that is short: the pods that hold most of it, the greatest first. */
export function holders(rejections: readonly Rejection[], otherPods: readonly Pod[]): Decision["considered"] {
  return rejections.flatMap(({ shortfall }) => (shortfall === undefined ? [] : holdersOf(shortfall, otherPods)));
}

/** The resource `pods` has no holders: each pod takes exactly one. */
function holdersOf({ resource, capacity }: ResourceShortfall, otherPods: readonly Pod[]): Decision["considered"] {
  const amounts = otherPods
    .map((pod) => ({ pod, amount: amountOf(podRequests(pod), resource) }))
    .filter(({ amount }) => amount > 0)
    .sort((a, b) => b.amount - a.amount || compareText(podSubject(a.pod), podSubject(b.pod)));
  const rows = amounts.slice(0, NAMED).map(({ pod, amount }) => ({
    candidate: podSubject(pod),
    verdict: "uses",
    why: `${resource}: ${amount} of ${capacity}`,
  }));
  const others = amounts.slice(NAMED);
  if (others.length === 0) return rows;
  const rest = others.reduce((sum, { amount }) => sum + amount, 0);
  return [
    ...rows,
    { candidate: `${others.length} more pods`, verdict: "use", why: `${resource}: ${rest} of ${capacity}` },
  ];
}

function amountOf(requests: Resources, resource: string): number {
  return requests[resource] ?? 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

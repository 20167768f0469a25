/** Decisions for `hooklet explain`: which devices were there, which were taken, and why. Pure. */
import { containerSubject, type Decision } from "@hooklet/core";
import type { Choice } from "./manager/ports.js";
import type { Candidate } from "./strategies/allocation.js";

/** Devices that one decision names. */
const ROWS = 50;
/** Letters of an id that are shown: a plugin may give ids of any length, and decisions are kept in memory. */
const ID_LENGTH = 120;

/** The choice for one container, as the decision on its pod. */
export function choiceDecision({ input, ids, violation }: Choice, strategy: string): Omit<Decision, "at" | "plugin"> {
  const { pod, container, resource, candidates } = input;
  const chosen = new Set(ids);
  const taken = candidates.filter(({ id }) => chosen.has(id));
  const free: Candidate[] = [];
  for (const candidate of candidates) {
    if (taken.length + free.length >= ROWS) break;
    if (!chosen.has(candidate.id)) free.push(candidate);
  }
  const rows = [...taken, ...free].slice(0, ROWS).map((candidate) => ({
    candidate: `device/${resource}/${shown(candidate.id)}`,
    verdict: chosen.has(candidate.id) ? "taken" : "free",
    why: why(candidate, input.affinity, input.preferred),
  }));
  const hidden = candidates.length - rows.length;
  return {
    strategy,
    subject: containerSubject(pod, container.name),
    considered: [
      ...rows,
      ...(hidden > 0 ? [{ candidate: `${hidden} more devices`, verdict: "not shown", why: `more than ${ROWS}` }] : []),
    ],
    outcome: `${resource}: ${ids.slice(0, ROWS).map(shown).join(", ")}${ids.length > ROWS ? ` and ${ids.length - ROWS} more` : ""}${violation === undefined ? "" : `; the strategy ${violation}, so the kubelet's choice was taken`}`,
  };
}

function why(
  { id, nodes, place }: Candidate,
  affinity: readonly number[] | undefined,
  preferred: readonly string[] | undefined,
): string {
  const where = nodes.length === 0 ? "no topology" : `NUMA node ${nodes.join(",")}`;
  const origin = {
    reusable: "from an init container of the pod",
    aligned: `among the chosen nodes ${affinity?.join(",") ?? ""}`,
    unaligned: `off the chosen nodes ${affinity?.join(",") ?? ""}`,
    "no-topology": undefined,
  }[place];
  return [
    where,
    ...(origin === undefined ? [] : [origin]),
    ...(preferred?.includes(id) ? ["preferred by the plugin"] : []),
  ].join("; ");
}

function shown(id: string): string {
  return id.length > ID_LENGTH ? `${id.slice(0, ID_LENGTH - 3)}...` : id;
}

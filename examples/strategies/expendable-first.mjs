/**
 * Who goes for a critical pod: pods with a label that says so, the youngest first; others only for what those cannot give.
 *
 *     plugins:
 *       - [preemption, { victims: { use: ./expendable-first.mjs, options: { label: expendable } } }]
 *
 * The agent checks the answer: victims that are no candidates, or free too little, reject the pod, and no pod is evicted.
 */
export default {
  description: "Pods with a label first, the youngest first",

  options: (z) => z.strictObject({ label: z.string().min(1).max(63).default("expendable") }),

  /** @returns {import("@hooklet/plugin-preemption").VictimsStrategy} */
  create:
    ({ label }) =>
    ({ candidates, requirements }) => {
      const isExpendable = ({ pod }) => pod.metadata.labels?.[label] === "true";
      const youngestFirst = candidates.toReversed();
      const order = [
        ...youngestFirst.filter(isExpendable),
        ...youngestFirst.filter((candidate) => !isExpendable(candidate)),
      ];
      const missing = new Map(requirements.map(({ resource, quantity }) => [resource, quantity]));
      const victims = [];
      for (const candidate of order) {
        const helps = [...missing].some(([resource, left]) => left > 0 && candidate.requests[resource] > 0);
        if (!helps) continue;
        for (const [resource, left] of missing) missing.set(resource, left - candidate.requests[resource]);
        victims.push({ uid: candidate.uid, why: isExpendable(candidate) ? `labelled ${label}` : "the youngest" });
      }
      return victims;
    },
};

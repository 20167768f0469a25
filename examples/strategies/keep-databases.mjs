/**
 * Who goes when the node runs short: pods with a label that keeps them go last, all others by how far they are over their request.
 *
 *     plugins:
 *       - [eviction, { ranking: { use: ./keep-databases.mjs, options: { label: tier, value: database } } }]
 *
 * The agent checks the answer: when a pod is missing or comes twice, the kubelet's order is used.
 */
export default {
  description: "Pods with a label last, the others by how far they are over their request",

  options: (z) =>
    z.strictObject({
      label: z.string().min(1).max(317).default("tier"),
      value: z.string().max(63).default("database"),
    }),

  /** @returns {import("@hooklet/plugin-eviction").RankingStrategy} */
  create:
    ({ label, value }) =>
    ({ candidates }) => {
      const isKept = ({ pod }) => pod.metadata.labels?.[label] === value;
      return candidates
        .toSorted((a, b) => Number(isKept(a)) - Number(isKept(b)) || b.excess - a.excess)
        .map((candidate) => ({
          uid: candidate.uid,
          why: isKept(candidate) ? `labelled ${label}=${value}` : "not labelled",
        }));
    },
};

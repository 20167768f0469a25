/**
 * A ranking strategy of one's own for node-pressure eviction: pods with a given label go last, whatever they use; all others in the
 * order of how far they are over their request. In an rc file beside this folder:
 *
 *   plugins:
 *     - [eviction, { ranking: { use: ./strategies/keep-databases.mjs, options: { label: tier, value: database } } }]
 */

/** @type {import("@hooklet/core").StrategyEntry<import("@hooklet/plugin-eviction").RankingStrategy>} */
export default {
  description: "Pods with a label last, the others by how far they are over their request",
  options: (z) => z.strictObject({ label: z.string().min(1), value: z.string() }),
  create: ({ label, value }) => {
    const kept = ({ pod }) => pod.metadata.labels?.[label] === value;
    return ({ candidates }) =>
      [...candidates]
        .sort((a, b) => Number(kept(a)) - Number(kept(b)) || b.excess - a.excess)
        .map(({ uid, ...rest }) => ({ uid, why: kept(rest) ? `kept for ${label}=${value}` : "not kept" }));
  },
};

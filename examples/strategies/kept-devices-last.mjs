/**
 * Which devices a container gets: some are kept for pods of a label. Those pods get them first, all others last.
 *
 *     plugins:
 *       - [devices, { allocation: { use: ./kept-devices-last.mjs, options: { ids: [gpu-0], label: tier, value: production } } }]
 *
 * The agent checks the answer: when it is not `size` different candidates with all of `mustInclude`, or leaves the chosen NUMA nodes
 * without need, the kubelet's choice is taken and an event tells.
 */
export default {
  description: "Devices that are kept for pods of a label go last to all others",

  options: (z) =>
    z.strictObject({
      ids: z.array(z.string().min(1).max(200)).min(1).max(1000),
      label: z.string().min(1).max(317).default("tier"),
      value: z.string().max(63).default("production"),
    }),

  /** @returns {import("@hooklet/plugin-devices").AllocationStrategy} */
  create: ({ ids, label, value }) => {
    const kept = new Set(ids);
    return ({ pod, size, candidates, mustInclude, affinity }) => {
      const mayHave = pod.metadata.labels?.[label] === value;
      // What an init container gives on has to be taken; then NUMA nodes that were chosen; then what is kept, first or last.
      const rank = ({ id, place }) => [
        mustInclude.includes(id) ? 0 : 1,
        affinity === undefined || place === "aligned" ? 0 : 1,
        kept.has(id) === mayHave ? 0 : 1,
      ];
      const ranked = candidates.map((device) => ({ id: device.id, rank: rank(device).join("") }));
      return ranked
        .sort((a, b) => a.rank.localeCompare(b.rank))
        .slice(0, size)
        .map(({ id }) => id);
    };
  },
};

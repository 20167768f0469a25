/**
 * Which images go first: those whose name begins with one of these prefixes, the largest first; then the others as the kubelet has them.
 *
 *     plugins:
 *       - [imagegc, { order: { use: ./scratch-images-first.mjs, options: { prefixes: [registry.example/ci/] } } }]
 *
 * The agent checks the answer: when it does not hold each candidate once, the kubelet's order is used and an event tells.
 */
export default {
  description: "Images of some repositories first, the largest first",

  options: (z) => z.strictObject({ prefixes: z.array(z.string().min(1).max(300)).min(1).max(100) }),

  /** @returns {import("@hooklet/plugin-imagegc").OrderStrategy} */
  create:
    ({ prefixes }) =>
    ({ candidates }) => {
      const isScratch = ({ names }) => names.some((name) => prefixes.some((prefix) => name.startsWith(prefix)));
      const scratch = candidates.filter(isScratch).sort((a, b) => b.size - a.size);
      return [...scratch, ...candidates.filter((image) => !isScratch(image))];
    },
};

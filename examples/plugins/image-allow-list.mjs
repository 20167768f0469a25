/**
 * Rejects pods with an image that is not on a list. One file, no package, no build step:
 *
 *     plugins:
 *       - ["./image-allow-list.mjs", { allow: ["host", "registry.example.com/*"] }]
 *
 * `*` in a pattern stands for any characters.
 *
 * @type {import("@hooklet/core").NodePlugin<{ allow: string[] }>}
 */
export default {
  meta: { name: "image-allow-list", api: 1, description: "Rejects pods whose image is not on a list" },

  options: (z) => z.object({ allow: z.array(z.string().min(1).max(512)).min(1) }),

  start(ctx, { allow }) {
    const patterns = allow.map(toRegExp);
    const isAllowed = (image) => patterns.some((pattern) => pattern.test(image));

    const decide = (pod) => {
      const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
      const considered = containers.map(({ name, image = "" }) => ({
        candidate: `${name}: ${image}`,
        verdict: isAllowed(image) ? "allowed" : "refused",
        why: isAllowed(image) ? "matches the list" : `matches none of ${allow.join(", ")}`,
      }));
      const refused = considered.filter(({ verdict }) => verdict === "refused");
      const subject = `pod/${pod.metadata.namespace}/${pod.metadata.name}`;
      const outcome = refused.length === 0 ? "allowed" : "refused";
      return { refused, decision: { strategy: "allow-list", subject, considered, outcome } };
    };

    ctx.hooks.podAdmit.tap({ stage: "validate" }, (verdict, { pod }) => {
      const { refused, decision } = decide(pod);
      if (refused.length === 0) return undefined;
      ctx.decisions.record(decision);
      const images = refused.map(({ candidate }) => candidate).join(", ");
      return verdict.reject({
        reason: "ImageNotAllowed",
        message: `these containers use an image that is not on the node's list: ${images}; allowed: ${allow.join(", ")}`,
      });
    });

    return {
      // hooklet plan image-allow-list -f POD.yaml
      plan: async ({ pod }) =>
        pod === undefined ? [] : [{ at: ctx.clock.now(), plugin: ctx.plugin, ...decide(pod).decision }],
    };
  },
};

function toRegExp(pattern) {
  const parts = pattern.split("*").map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

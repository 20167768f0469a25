/** Rejects pods without an owner. */
export default {
  meta: { name: "owners", api: 1, description: "Every pod has an owner" },
  options: (z) => z.strictObject({ label: z.string().default("owner") }),
  start({ hooks }, { label }) {
    hooks.podAdmit.tap((verdict, { pod }) => {
      if (pod.metadata.labels?.[label] !== undefined) return;
      return verdict.reject({ reason: "NoOwner", message: `label ${label} is missing` });
    });
  },
};

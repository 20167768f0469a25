/** The plugins that hooklet brings, in the order of their start. The only place that names any. */
export const defaultPlugins: readonly string[] = [
  "@hooklet/plugin-objects",
  "@hooklet/plugin-eviction",
  "@hooklet/plugin-imagegc",
  "@hooklet/plugin-devices",
  "@hooklet/plugin-cgroups",
  "@hooklet/plugin-stats",
  "@hooklet/plugin-preemption",
  "@hooklet/plugin-probe",
  "@hooklet/plugin-shutdown",
];

/** Those that run where the rc file names their source. */
export const sourcePlugins = {
  kube: {
    specifier: "@hooklet/source-kube",
    description:
      "Makes this agent a node of a cluster: {kubeconfig: FILE} and the options of source-kube. null = none.",
    files: ["kubeconfig", "bootstrapKubeconfig", "certDirectory"],
  },
} as const;

/** The kubelet whose behaviour this agent has: what clusters go by when they judge which nodes are too old. Pure. */
export const KUBELET_VERSION = "v1.36.3";

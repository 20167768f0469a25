import type { IsolationFact } from "@hooklet/core/host";

/** What a CRI runtime keeps apart, for `hooklet get node`. */
export const isolationFacts: readonly IsolationFact[] = [
  { what: "mounts", isolated: "yes", how: "a root file system from the image, a mount namespace per container" },
  { what: "network", isolated: "yes", how: "a network namespace per pod, by CNI; hostNetwork shares the node's" },
  {
    what: "processes",
    isolated: "yes",
    how: "a PID namespace per container; shareProcessNamespace: per pod; hostPID: the node's",
  },
  { what: "users", isolated: "partly", how: "user ids are the node's own; no user namespace" },
  { what: "cgroups", isolated: "yes", how: "a cgroup per container below the pod's" },
];

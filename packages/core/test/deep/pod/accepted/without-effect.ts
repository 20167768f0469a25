/** Accepted, and without effect on a node: by field, or by the field above, why, and a sample value that changes nothing. */
export interface WithoutEffect {
  readonly why: string;
  readonly value: unknown;
}

const term = { labelSelector: { matchLabels: { app: "x" } }, topologyKey: "zone" };
const preferred = { podAffinityTerm: term, weight: 1 };

export const withoutEffect: Readonly<Record<string, WithoutEffect>> = {
  "spec.schedulerName": { why: "read by schedulers", value: "other" },
  "spec.topologySpreadConstraints": {
    why: "read by schedulers",
    value: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
  },
  "spec.affinity.podAffinity": {
    why: "read by schedulers; the kubelet does not look at it either",
    value: {
      requiredDuringSchedulingIgnoredDuringExecution: [term],
      preferredDuringSchedulingIgnoredDuringExecution: [preferred],
    },
  },
  "spec.affinity.podAntiAffinity": {
    why: "read by schedulers; the kubelet does not look at it either",
    value: {
      requiredDuringSchedulingIgnoredDuringExecution: [term],
      preferredDuringSchedulingIgnoredDuringExecution: [preferred],
    },
  },
  "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution": {
    why: "read by schedulers",
    value: [{ weight: 1, preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["hdd"] }] } }],
  },
  "spec.nodeName": { why: "a manifest on a node is for that node", value: "node2" },
  "spec.preemptionPolicy": {
    why: "read by schedulers; critical pods preempt on the node whatever it says, as in the kubelet",
    value: "Never",
  },
  "spec.tolerations.tolerationSeconds": {
    why: "read by the controller that evicts pods from tainted nodes",
    value: 5,
  },
  "spec.enableServiceLinks": {
    why: "without an API server there are no services; who provides their variables reads it",
    value: false,
  },
  "spec.securityContext.fsGroupChangePolicy": {
    why: "has no effect on emptyDir and hostPath, says Kubernetes; there are no others",
    value: "OnRootMismatch",
  },
  "spec.automountServiceAccountToken": {
    why: "without an API server there are no tokens to mount",
    value: false,
  },
};

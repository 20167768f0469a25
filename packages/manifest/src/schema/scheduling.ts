import { int32, int64, list, map, object, text } from "../shape.js";

const requirements = list(object({ key: text, operator: text, values: list(text) }));
const nodeSelectorTerm = object({ matchExpressions: requirements, matchFields: requirements });
const labelSelector = object({ matchLabels: map(text), matchExpressions: requirements });

const podAffinityTerm = object({
  labelSelector,
  namespaces: list(text),
  topologyKey: text,
  namespaceSelector: labelSelector,
  matchLabelKeys: list(text),
  mismatchLabelKeys: list(text),
});
const podAffinity = object({
  requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: list(object({ weight: int32, podAffinityTerm })),
});

export const affinity = object({
  nodeAffinity: object({
    requiredDuringSchedulingIgnoredDuringExecution: object({ nodeSelectorTerms: list(nodeSelectorTerm) }),
    preferredDuringSchedulingIgnoredDuringExecution: list(object({ weight: int32, preference: nodeSelectorTerm })),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});

export const toleration = object({
  key: text,
  operator: text,
  value: text,
  effect: text,
  tolerationSeconds: int64,
});

export const topologySpreadConstraint = object({
  maxSkew: int32,
  topologyKey: text,
  whenUnsatisfiable: text,
  labelSelector,
  minDomains: int32,
  nodeAffinityPolicy: text,
  nodeTaintsPolicy: text,
  matchLabelKeys: list(text),
});

/** Pod and PodSpec of Kubernetes v1, as far as hooklet goes. */

import { type Provided, providedKinds } from "../provided.js";
import {
  allRefused,
  dropped,
  flag,
  int32,
  int64,
  list,
  map,
  NEEDS_API_SERVER,
  object,
  refused,
  type Shape,
  text,
} from "../shape.js";
import { container, podSecurityContext, resources } from "./container-shape.js";
import { volume } from "./volume-shape.js";

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

const affinity = object({
  nodeAffinity: object({
    requiredDuringSchedulingIgnoredDuringExecution: object({ nodeSelectorTerms: list(nodeSelectorTerm) }),
    preferredDuringSchedulingIgnoredDuringExecution: list(object({ weight: int32, preference: nodeSelectorTerm })),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});

const toleration = object({
  key: text,
  operator: text,
  value: text,
  effect: text,
  tolerationSeconds: int64,
});

const topologySpreadConstraint = object({
  maxSkew: int32,
  topologyKey: text,
  whenUnsatisfiable: text,
  labelSelector,
  minDomains: int32,
  nodeAffinityPolicy: text,
  nodeTaintsPolicy: text,
  matchLabelKeys: list(text),
});

export const metadata = object({
  name: text,
  // Only the API server makes names from it; a missing name is a fault.
  generateName: dropped,
  namespace: text,
  uid: text,
  labels: map(text),
  annotations: map(text),
  ...allRefused(NEEDS_API_SERVER, "ownerReferences", "finalizers", "deletionTimestamp", "deletionGracePeriodSeconds"),
  creationTimestamp: dropped,
  selfLink: dropped,
  resourceVersion: dropped,
  generation: dropped,
  managedFields: dropped,
});

const dnsConfig = object({
  nameservers: list(text),
  searches: list(text),
  options: list(object({ name: text, value: text })),
});

/** Fields that need a provider are allowed as far as they are `provided`. */
function spec(provided: Provided): Shape {
  const containers = list(container(provided));
  return object({
    volumes: list(volume(provided)),
    initContainers: containers,
    containers,
    ephemeralContainers: refused(NEEDS_API_SERVER),
    restartPolicy: text,
    terminationGracePeriodSeconds: int64,
    activeDeadlineSeconds: int64,
    dnsPolicy: text,
    nodeSelector: map(text),
    // There are no service accounts and no tokens; `default` needs none.
    serviceAccountName: refused(NEEDS_API_SERVER, "", "default"),
    serviceAccount: refused(NEEDS_API_SERVER, "", "default"),
    automountServiceAccountToken: flag,
    nodeName: text,
    hostNetwork: flag,
    hostPID: flag,
    hostIPC: flag,
    shareProcessNamespace: flag,
    securityContext: podSecurityContext,
    imagePullSecrets: provided.has("imagePullSecrets") ? list(object({ name: text })) : refused(NEEDS_API_SERVER),
    hostname: text,
    subdomain: text,
    affinity,
    schedulerName: text,
    tolerations: list(toleration),
    hostAliases: list(object({ ip: text, hostnames: list(text) })),
    priorityClassName: text,
    priority: int32,
    dnsConfig,
    readinessGates: list(object({ conditionType: text })),
    runtimeClassName: refused(NEEDS_API_SERVER, ""),
    enableServiceLinks: flag,
    preemptionPolicy: text,
    overhead: resources.fields.limits,
    topologySpreadConstraints: list(topologySpreadConstraint),
    setHostnameAsFQDN: flag,
    os: object({ name: text }),
    hostUsers: refused(undefined, true),
    schedulingGates: refused(NEEDS_API_SERVER),
    resourceClaims: refused(NEEDS_API_SERVER),
    resources,
    hostnameOverride: text,
    workloadRef: refused(NEEDS_API_SERVER),
  });
}

const shapes = new Map<string, Shape>();

/** The shape of a pod where these things are provided. */
export function podShape(provided: Provided): Shape {
  const key = providedKinds.filter((kind) => provided.has(kind)).join();
  const known =
    shapes.get(key) ?? object({ apiVersion: text, kind: text, metadata, spec: spec(provided), status: dropped });
  shapes.set(key, known);
  return known;
}

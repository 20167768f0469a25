/** The API server's rules for pods (pkg/apis/core/validation), with its messages, for what hooklet supports. */

import type * as v1 from "kubernetes-types/core/v1.js";
import type { PodSpec } from "kubernetes-types/core/v1.js";
import type { FieldFaults } from "./field-faults.js";
import { between, dns1123Label, dns1123Subdomain, notNegative, qualifiedName } from "./names.js";
import { FieldPath } from "./path.js";
import type { Pod } from "./pod.js";
import { podRequestList, rawPodLevelResources } from "./resources/pod-requests.js";
import { containersRule } from "./rules/containers.js";
import { labelsRule, metadataRule } from "./rules/metadata.js";
import { networkRule } from "./rules/network.js";
import { overheadRule, podLevelRule, resourcesRule } from "./rules/resources.js";
import { oneOf, type Rule } from "./rules/rule.js";
import { affinityRule, tolerationsRule } from "./rules/scheduling.js";
import { podSecurityRule } from "./rules/security.js";
import { volumesRule } from "./rules/volumes.js";

/** Adds all that is wrong with a pod of the right shape, defaulted. Empty faults: the pod can be admitted. */
export function validatePod(pod: v1.Pod, faults: FieldFaults): void {
  const spec = pod.spec ?? { containers: [] };
  metadataRule(pod.metadata ?? {}, FieldPath.root.child("metadata"), faults);
  specRule(spec, FieldPath.root.child("spec"), faults);
  const resources = rawPodLevelResources(pod as Pod);
  if (resources === undefined) return;
  const path = FieldPath.root.child("spec").child("resources");
  resourcesRule("pod")(resources, path, faults);
  const { overhead: _, ...rest } = spec;
  const requested = podRequestList({ ...pod, spec: rest } as Pod, { podLevelResources: false });
  podLevelRule(requested)(resources, path, faults);
}

export const specRule: Rule<PodSpec> = (spec, path, faults) => {
  const { terminationGracePeriodSeconds: grace = 0, activeDeadlineSeconds: deadline } = spec;
  faults.each(path.child("terminationGracePeriodSeconds"), grace, notNegative(grace));
  if (deadline !== undefined) {
    faults.each(path.child("activeDeadlineSeconds"), deadline, between(deadline, 1, 2 ** 31 - 1));
  }
  volumesRule(spec.volumes ?? [], path.child("volumes"), faults);
  containersRule(spec, path, faults);
  oneOf(spec.restartPolicy ?? "", ["Always", "OnFailure", "Never"], path.child("restartPolicy"), faults);
  networkRule(spec, path, faults);
  labelsRule(spec.nodeSelector ?? {}, path.child("nodeSelector"), faults);
  podSecurityRule(spec, path, faults);
  if (spec.affinity) affinityRule(spec.affinity, path.child("affinity"), faults);
  tolerationsRule(spec.tolerations ?? [], path.child("tolerations"), faults);
  if (spec.overhead) overheadRule(spec.overhead, path.child("overhead"), faults);
  for (const name of ["hostname", "subdomain"] as const) {
    const value = spec[name];
    if (value) faults.each(path.child(name), value, dns1123Label(value));
  }
  hostnameOverrideRule(spec, path, faults);
  if (spec.priorityClassName) {
    faults.each(path.child("priorityClassName"), spec.priorityClassName, dns1123Subdomain(spec.priorityClassName));
  }
  if (spec.preemptionPolicy !== undefined) {
    oneOf(spec.preemptionPolicy, ["PreemptLowerPriority", "Never"], path.child("preemptionPolicy"), faults);
  }
  // A pod for another system is not malformed: the node refuses it at admission.
  if (spec.os !== undefined) {
    oneOf(spec.os.name ?? "", ["linux", "windows"], path.child("os").child("name"), faults);
  }
  spec.readinessGates?.forEach(({ conditionType = "" }, i) => {
    const at = path.child("readinessGates").index(i).child("conditionType");
    faults.each(at, conditionType, qualifiedName(conditionType));
  });
};

/** The kernel's __NEW_UTS_LEN. */
const MAX_KERNEL_NAME = 64;

function hostnameOverrideRule(spec: PodSpec, path: FieldPath, faults: FieldFaults): void {
  const { hostnameOverride } = spec as PodSpec & { readonly hostnameOverride?: string | null };
  if (hostnameOverride === undefined || hostnameOverride === null) return;
  const at = path.child("hostnameOverride");
  if (hostnameOverride.length > MAX_KERNEL_NAME) {
    faults.invalid(at, hostnameOverride, `must be no more than ${MAX_KERNEL_NAME} characters`);
  }
  faults.each(at, hostnameOverride, dns1123Subdomain(hostnameOverride));
  if (spec.hostNetwork) faults.invalid(at, hostnameOverride, "may not be set when 'hostNetwork' is true");
  if (spec.setHostnameAsFQDN) faults.invalid(at, hostnameOverride, "may not be set when 'setHostnameAsFQDN' is true");
}

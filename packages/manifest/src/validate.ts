/** The API server's rules for pods (pkg/apis/core/validation), with its messages, for what hooklet supports. */
import type * as v1 from "kubernetes-types/core/v1.js";
import type { FieldFaults } from "./field-faults.js";
import { FieldPath } from "./path.js";
import type { Pod } from "./pod.js";
import { podRequestList, rawPodLevelResources } from "./resources/pod-requests.js";
import { metadataRule } from "./rules/metadata.js";
import { podLevelRule, resourcesRule } from "./rules/resources.js";
import { specRule } from "./rules/spec.js";

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

/** Status types newer than the kubernetes-types package: what a kubelet 1.33 reports. */

import type * as v1 from "kubernetes-types/core/v1.js";
import type { AllocatedResourceStatus } from "../../plugin/contract.js";

export type ContainerStatus = v1.ContainerStatus & {
  readonly allocatedResourcesStatus?: readonly AllocatedResourceStatus[];
  readonly user?: {
    readonly linux: { readonly uid: number; readonly gid: number; readonly supplementalGroups?: readonly number[] };
  };
};

export type PodStatus = Omit<v1.PodStatus, "conditions" | "containerStatuses" | "initContainerStatuses"> & {
  readonly conditions?: readonly PodCondition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
};

export interface PodCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastProbeTime: null;
  readonly lastTransitionTime: string;
}

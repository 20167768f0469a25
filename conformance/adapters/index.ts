/** The table of topics: one adapter each. A topic that is missing here is skipped by name. */
import type { AnyAdapter } from "../adapter.js";
import { adapter as admissionAdmit } from "./admission-admit.js";
import { adapter as admissionGeneralPredicates } from "./admission-general-predicates.js";
import { adapter as admissionInsufficientAmount } from "./admission-insufficient-amount.js";
import { adapter as admissionOsField } from "./admission-os-field.js";
import { adapter as admissionOsSelector } from "./admission-os-selector.js";
import { adapter as admissionRejectionReasons } from "./admission-rejection-reasons.js";
import { adapter as admissionRemoveMissingExtendedResources } from "./admission-remove-missing-extended-resources.js";
import { adapter as cgroupsGetCgroupProcs } from "./cgroups-get-cgroup-procs.js";
import { adapter as cgroupsHugepageLimits } from "./cgroups-hugepage-limits.js";
import { adapter as cgroupsIsPodCgroup } from "./cgroups-is-pod-cgroup.js";
import { adapter as cgroupsMemoryHighFormula } from "./cgroups-memory-high-formula.js";
import { adapter as cgroupsMillicpuToQuota } from "./cgroups-millicpu-to-quota.js";
import { adapter as cgroupsMillicpuToShares } from "./cgroups-millicpu-to-shares.js";
import { adapter as cgroupsNames } from "./cgroups-names.js";
import { adapter as cgroupsNodeAllocatableEnforcement } from "./cgroups-node-allocatable-enforcement.js";
import { adapter as cgroupsNodeAllocatableReservation } from "./cgroups-node-allocatable-reservation.js";
import { adapter as cgroupsNodeAllocatableRoot } from "./cgroups-node-allocatable-root.js";
import { adapter as cgroupsNodeAllocatableValidation } from "./cgroups-node-allocatable-validation.js";
import { adapter as cgroupsNodeCgroupConfig } from "./cgroups-node-cgroup-config.js";
import { adapter as cgroupsParseQosReserved } from "./cgroups-parse-qos-reserved.js";
import { adapter as cgroupsPodContainerName } from "./cgroups-pod-container-name.js";
import { adapter as cgroupsPodMemoryQos } from "./cgroups-pod-memory-qos.js";
import { adapter as cgroupsPodNameSuffix } from "./cgroups-pod-name-suffix.js";
import { adapter as cgroupsQosCpuShares } from "./cgroups-qos-cpu-shares.js";
import { adapter as cgroupsQosMemoryQos } from "./cgroups-qos-memory-qos.js";
import { adapter as cgroupsQosMemoryReserve } from "./cgroups-qos-memory-reserve.js";
import { adapter as cgroupsQuotaToMillicpu } from "./cgroups-quota-to-millicpu.js";
import { adapter as cgroupsResourceConfigForPod } from "./cgroups-resource-config-for-pod.js";
import { adapter as cgroupsSharesRoundtrip } from "./cgroups-shares-roundtrip.js";
import { adapter as cgroupsSharesToMillicpu } from "./cgroups-shares-to-millicpu.js";
import { adapter as cgroupsSharesToWeight } from "./cgroups-shares-to-weight.js";
import { adapter as cgroupsSystemdQuotaRounding } from "./cgroups-systemd-quota-rounding.js";
import { adapter as containerCalculateLinuxResources } from "./container-calculate-linux-resources.js";
import { adapter as containerGenerateLinuxResources } from "./container-generate-linux-resources.js";
import { adapter as containerHugepageLimits } from "./container-hugepage-limits.js";
import { adapter as containerLinuxConfigResources } from "./container-linux-config-resources.js";
import { adapter as containerMemoryQos } from "./container-memory-qos.js";
import { adapter as containerSwap } from "./container-swap.js";
import { adapter as containerSwapFormula } from "./container-swap-formula.js";
import { adapter as containergcContainers } from "./containergc-containers.js";
import { adapter as containergcLogs } from "./containergc-logs.js";
import { adapter as containergcSandboxes } from "./containergc-sandboxes.js";
import { adapter as deviceAllocatableDevices } from "./device-allocatable-devices.js";
import { adapter as deviceAllocate } from "./device-allocate.js";
import { adapter as deviceCapacity } from "./device-capacity.js";
import { adapter as deviceCheckpoint } from "./device-checkpoint.js";
import { adapter as deviceEndpointLifecycle } from "./device-endpoint-lifecycle.js";
import { adapter as deviceFilterByAffinity } from "./device-filter-by-affinity.js";
import { adapter as deviceHealthStatus } from "./device-health-status.js";
import { adapter as deviceInitContainers } from "./device-init-containers.js";
import { adapter as deviceInstancesFilter } from "./device-instances-filter.js";
import { adapter as devicePodDevices } from "./device-pod-devices.js";
import { adapter as devicePodRequest } from "./device-pod-request.js";
import { adapter as devicePreferredAllocation } from "./device-preferred-allocation.js";
import { adapter as devicePrestart } from "./device-prestart.js";
import { adapter as deviceRegistration } from "./device-registration.js";
import { adapter as deviceResourceNames } from "./device-resource-names.js";
import { adapter as deviceRunOptions } from "./device-run-options.js";
import { adapter as deviceSanitizeAllocatable } from "./device-sanitize-allocatable.js";
import { adapter as deviceSeries } from "./device-series.js";
import { adapter as deviceToAllocate } from "./device-to-allocate.js";
import { adapter as deviceTopologyAllocation } from "./device-topology-allocation.js";
import { adapter as deviceTopologyHints } from "./device-topology-hints.js";
import { adapter as evictionAdmit } from "./eviction-admit.js";
import { adapter as evictionCleanupWait } from "./eviction-cleanup-wait.js";
import { adapter as evictionConditionTexts } from "./eviction-condition-texts.js";
import { adapter as evictionConditionTimes } from "./eviction-condition-times.js";
import { adapter as evictionContainerfsThresholds } from "./eviction-containerfs-thresholds.js";
import { adapter as evictionDefaults } from "./eviction-defaults.js";
import { adapter as evictionEqualValues } from "./eviction-equal-values.js";
import { adapter as evictionFirstObserved } from "./eviction-first-observed.js";
import { adapter as evictionFirstThreshold } from "./eviction-first-threshold.js";
import { adapter as evictionGracePeriod } from "./eviction-grace-period.js";
import { adapter as evictionKillGrace } from "./eviction-kill-grace.js";
import { adapter as evictionLocalStorage } from "./eviction-local-storage.js";
import { adapter as evictionLoop } from "./eviction-loop.js";
import { adapter as evictionMemoryNotifier } from "./eviction-memory-notifier.js";
import { adapter as evictionMessage } from "./eviction-message.js";
import { adapter as evictionNodeConditions } from "./eviction-node-conditions.js";
import { adapter as evictionObservations } from "./eviction-observations.js";
import { adapter as evictionParse } from "./eviction-parse.js";
import { adapter as evictionPercentage } from "./eviction-percentage.js";
import { adapter as evictionRank } from "./eviction-rank.js";
import { adapter as evictionReclaimFunctions } from "./eviction-reclaim-functions.js";
import { adapter as evictionSynchronize } from "./eviction-synchronize.js";
import { adapter as evictionThresholdsMet } from "./eviction-thresholds-met.js";
import { adapter as evictionUpdatedStats } from "./eviction-updated-stats.js";
import { adapter as imagegc } from "./imagegc.js";
import { adapter as imagegcPolicyValidation } from "./imagegc-policy-validation.js";
import { adapter as imagegcSchedule } from "./imagegc-schedule.js";
import { adapter as oomScoreAdj } from "./oom-score-adj.js";
import { adapter as podIsCritical } from "./pod-is-critical.js";
import { adapter as podIsCriticalBasedOnPriority } from "./pod-is-critical-based-on-priority.js";
import { adapter as podIsNodeCritical } from "./pod-is-node-critical.js";
import { adapter as podPreemptable } from "./pod-preemptable.js";
import { adapter as podResourceRequest } from "./pod-resource-request.js";
import { adapter as podStaticAndMirror } from "./pod-static-and-mirror.js";
import { adapter as preemptionDistance } from "./preemption-distance.js";
import { adapter as preemptionEvictPodsToFreeRequests } from "./preemption-evict-pods-to-free-requests.js";
import { adapter as preemptionGetPodsToPreempt } from "./preemption-get-pods-to-preempt.js";
import { adapter as preemptionHandleAdmissionFailure } from "./preemption-handle-admission-failure.js";
import { adapter as preemptionRequirementsText } from "./preemption-requirements-text.js";
import { adapter as preemptionSmallerResourceRequest } from "./preemption-smaller-resource-request.js";
import { adapter as preemptionSortPodsByQos } from "./preemption-sort-pods-by-qos.js";
import { adapter as preemptionSubtract } from "./preemption-subtract.js";
import { adapter as probeDefaults } from "./probe-defaults.js";
import { adapter as probeExec } from "./probe-exec.js";
import { adapter as probeExecCommand } from "./probe-exec-command.js";
import { adapter as probeGrpc } from "./probe-grpc.js";
import { adapter as probeHttpCheck } from "./probe-http-check.js";
import { adapter as probeHttpHeaders } from "./probe-http-headers.js";
import { adapter as probeManagerWorkers } from "./probe-manager-workers.js";
import { adapter as probePortResolution } from "./probe-port-resolution.js";
import { adapter as probeResultsManager } from "./probe-results-manager.js";
import { adapter as probeRunResult } from "./probe-run-result.js";
import { adapter as probeTcp } from "./probe-tcp.js";
import { adapter as probeUpdatePodStatus } from "./probe-update-pod-status.js";
import { adapter as probeUrl } from "./probe-url.js";
import { adapter as probeValidation } from "./probe-validation.js";
import { adapter as probeWorker } from "./probe-worker.js";
import { adapter as probeWorkerSchedule } from "./probe-worker-schedule.js";
import { adapter as qosCollectContainerLevelResources } from "./qos-collect-container-level-resources.js";
import { adapter as qosCollectPodLevelResources } from "./qos-collect-pod-level-resources.js";
import { adapter as qosComputePodQos } from "./qos-compute-pod-qos.js";

export const adapters: Readonly<Record<string, AnyAdapter>> = {
  "admission-admit": admissionAdmit,
  "admission-general-predicates": admissionGeneralPredicates,
  "admission-insufficient-amount": admissionInsufficientAmount,
  "admission-os-field": admissionOsField,
  "admission-os-selector": admissionOsSelector,
  "admission-rejection-reasons": admissionRejectionReasons,
  "admission-remove-missing-extended-resources": admissionRemoveMissingExtendedResources,
  "cgroups-get-cgroup-procs": cgroupsGetCgroupProcs,
  "cgroups-hugepage-limits": cgroupsHugepageLimits,
  "cgroups-is-pod-cgroup": cgroupsIsPodCgroup,
  "cgroups-memory-high-formula": cgroupsMemoryHighFormula,
  "cgroups-millicpu-to-quota": cgroupsMillicpuToQuota,
  "cgroups-millicpu-to-shares": cgroupsMillicpuToShares,
  "cgroups-names": cgroupsNames,
  "cgroups-node-allocatable-enforcement": cgroupsNodeAllocatableEnforcement,
  "cgroups-node-allocatable-reservation": cgroupsNodeAllocatableReservation,
  "cgroups-node-allocatable-root": cgroupsNodeAllocatableRoot,
  "cgroups-node-allocatable-validation": cgroupsNodeAllocatableValidation,
  "containergc-containers": containergcContainers,
  "containergc-containers-failures": containergcContainers,
  "containergc-logs": containergcLogs,
  "containergc-sandboxes": containergcSandboxes,
  "containergc-sandboxes-failures": containergcSandboxes,
  "imagegc-delete-unused": imagegc,
  "imagegc-detect": imagegc,
  "imagegc-free-space": imagegc,
  "imagegc-garbage-collect": imagegc,
  "imagegc-garbage-collect-texts": imagegc,
  "imagegc-image-volumes": imagegc,
  "imagegc-max-age": imagegc,
  "imagegc-policy-validation": imagegcPolicyValidation,
  "imagegc-runtime-handlers": imagegc,
  "imagegc-schedule": imagegcSchedule,
  "device-allocatable-devices": deviceAllocatableDevices,
  "device-allocate": deviceAllocate,
  "device-capacity": deviceCapacity,
  "device-checkpoint": deviceCheckpoint,
  "device-endpoint-lifecycle": deviceEndpointLifecycle,
  "device-filter-by-affinity": deviceFilterByAffinity,
  "device-health-status": deviceHealthStatus,
  "device-init-containers": deviceInitContainers,
  "device-instances-filter": deviceInstancesFilter,
  "device-pod-devices": devicePodDevices,
  "device-pod-request": devicePodRequest,
  "device-pod-request-sidecars": devicePodRequest,
  "device-preferred-allocation": devicePreferredAllocation,
  "device-prestart": devicePrestart,
  "device-registration": deviceRegistration,
  "device-resource-names": deviceResourceNames,
  "device-run-options": deviceRunOptions,
  "device-sanitize-allocatable": deviceSanitizeAllocatable,
  "device-series": deviceSeries,
  "device-to-allocate": deviceToAllocate,
  "device-topology-allocation": deviceTopologyAllocation,
  "device-topology-hints": deviceTopologyHints,
  "cgroups-node-cgroup-config": cgroupsNodeCgroupConfig,
  "cgroups-parse-qos-reserved": cgroupsParseQosReserved,
  "cgroups-pod-container-name": cgroupsPodContainerName,
  "cgroups-pod-memory-qos": cgroupsPodMemoryQos,
  "cgroups-pod-name-suffix": cgroupsPodNameSuffix,
  "cgroups-qos-cpu-shares": cgroupsQosCpuShares,
  "cgroups-qos-memory-qos": cgroupsQosMemoryQos,
  "cgroups-qos-memory-reserve": cgroupsQosMemoryReserve,
  "cgroups-quota-to-millicpu": cgroupsQuotaToMillicpu,
  "cgroups-resource-config-for-pod": cgroupsResourceConfigForPod,
  "cgroups-shares-roundtrip": cgroupsSharesRoundtrip,
  "cgroups-shares-to-millicpu": cgroupsSharesToMillicpu,
  "cgroups-shares-to-weight": cgroupsSharesToWeight,
  "cgroups-systemd-quota-rounding": cgroupsSystemdQuotaRounding,
  "container-calculate-linux-resources": containerCalculateLinuxResources,
  "container-generate-linux-resources": containerGenerateLinuxResources,
  "container-hugepage-limits": containerHugepageLimits,
  "container-linux-config-resources": containerLinuxConfigResources,
  "container-memory-qos": containerMemoryQos,
  "container-swap": containerSwap,
  "container-swap-formula": containerSwapFormula,
  "oom-score-adj": oomScoreAdj,
  "eviction-admit": evictionAdmit,
  "eviction-cleanup-wait": evictionCleanupWait,
  "eviction-condition-texts": evictionConditionTexts,
  "eviction-condition-times": evictionConditionTimes,
  "eviction-containerfs-thresholds": evictionContainerfsThresholds,
  "eviction-defaults": evictionDefaults,
  "eviction-equal-values": evictionEqualValues,
  "eviction-first-observed": evictionFirstObserved,
  "eviction-first-threshold": evictionFirstThreshold,
  "eviction-grace-period": evictionGracePeriod,
  "eviction-kill-grace": evictionKillGrace,
  "eviction-local-storage": evictionLocalStorage,
  "eviction-loop": evictionLoop,
  "eviction-memory-notifier": evictionMemoryNotifier,
  "eviction-message": evictionMessage,
  "eviction-node-conditions": evictionNodeConditions,
  "eviction-observations": evictionObservations,
  "eviction-parse": evictionParse,
  "eviction-percentage": evictionPercentage,
  "eviction-rank": evictionRank,
  "eviction-reclaim-functions": evictionReclaimFunctions,
  "eviction-synchronize": evictionSynchronize,
  "eviction-synchronize-choice": evictionSynchronize,
  "eviction-thresholds-met": evictionThresholdsMet,
  "eviction-updated-stats": evictionUpdatedStats,
  "pod-is-critical": podIsCritical,
  "pod-is-critical-based-on-priority": podIsCriticalBasedOnPriority,
  "pod-is-node-critical": podIsNodeCritical,
  "pod-preemptable": podPreemptable,
  "pod-resource-request": podResourceRequest,
  "pod-static-and-mirror": podStaticAndMirror,
  "preemption-distance": preemptionDistance,
  "preemption-evict-pods-to-free-requests": preemptionEvictPodsToFreeRequests,
  "preemption-get-pods-to-preempt": preemptionGetPodsToPreempt,
  "preemption-handle-admission-failure": preemptionHandleAdmissionFailure,
  "preemption-requirements-text": preemptionRequirementsText,
  "preemption-smaller-resource-request": preemptionSmallerResourceRequest,
  "preemption-sort-pods-by-qos": preemptionSortPodsByQos,
  "preemption-subtract": preemptionSubtract,
  "probe-defaults": probeDefaults,
  "probe-exec": probeExec,
  "probe-exec-command": probeExecCommand,
  "probe-grpc": probeGrpc,
  "probe-http-check": probeHttpCheck,
  "probe-http-headers": probeHttpHeaders,
  "probe-manager-workers": probeManagerWorkers,
  "probe-port-resolution": probePortResolution,
  "probe-results-manager": probeResultsManager,
  "probe-run-result": probeRunResult,
  "probe-tcp": probeTcp,
  "probe-update-pod-status": probeUpdatePodStatus,
  "probe-url": probeUrl,
  "probe-validation": probeValidation,
  "probe-worker": probeWorker,
  "probe-worker-schedule": probeWorkerSchedule,
  "qos-collect-container-level-resources": qosCollectContainerLevelResources,
  "qos-collect-pod-level-resources": qosCollectPodLevelResources,
  "qos-compute-pod-qos": qosComputePodQos,
};

/** The table of topics: one adapter each. A topic that is missing here is skipped by name. */
import type { AnyAdapter } from "../adapter.js";
import { adapter as admissionAdmit } from "./admission-admit.js";
import { adapter as admissionGeneralPredicates } from "./admission-general-predicates.js";
import { adapter as admissionInsufficientAmount } from "./admission-insufficient-amount.js";
import { adapter as admissionOsField } from "./admission-os-field.js";
import { adapter as admissionOsSelector } from "./admission-os-selector.js";
import { adapter as admissionRejectionReasons } from "./admission-rejection-reasons.js";
import { adapter as admissionRemoveMissingExtendedResources } from "./admission-remove-missing-extended-resources.js";
import { adapter as cgroupsNodeAllocatableReservation } from "./cgroups-node-allocatable-reservation.js";
import { adapter as cgroupsNodeAllocatableValidation } from "./cgroups-node-allocatable-validation.js";
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
import { adapter as podIsCritical } from "./pod-is-critical.js";
import { adapter as podIsCriticalBasedOnPriority } from "./pod-is-critical-based-on-priority.js";
import { adapter as podIsNodeCritical } from "./pod-is-node-critical.js";
import { adapter as podPreemptable } from "./pod-preemptable.js";
import { adapter as podResourceRequest } from "./pod-resource-request.js";
import { adapter as podSource } from "./pod-source.js";
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
import { adapter as probeResultActions } from "./probe-result-actions.js";
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
  "cgroups-node-allocatable-reservation": cgroupsNodeAllocatableReservation,
  "cgroups-node-allocatable-validation": cgroupsNodeAllocatableValidation,
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
  "pod-source": podSource,
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
  "probe-result-actions": probeResultActions,
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
